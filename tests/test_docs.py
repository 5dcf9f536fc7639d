#!/usr/bin/python3
"""Links, anchors, files and names cited in documents and comments exist, paragraphs wrap at 100 columns, the man page has every option."""
# release only
import os
import re
import subprocess

from harness import run

SOURCE = os.environ["LILYAN_SOURCE"]
COLUMNS = 100
# names that pages give to a reader's own files
EXAMPLES = {"mine.c", "simo_pister.c", "NAME.c", "NAME.h", "TABLE.md", "OUTPUT.c", "jelly_blender.py", "bunny_blender.py",
            "OUT_blender.py", "three.js"}
CODE = (".c", ".h", ".py", ".sh", ".mjs", ".js")
# documents outside of the tree, which nobody who has the tree can read
OUTSIDE = re.compile(r"\b(THEORY|REFERENCE|ARCHITECTURE)\b")
# a path, or a file's name alone; neither a part of a longer word nor a URL
CITED = re.compile(r"(?<![\w/.<>*{$-])((?:[\w.-]+/)*[\w-]{2,}\.(?:c|h|py|sh|mjs|js|md)|scenes/[\w-]+\.yaml)(?![\w.*(])")
COMMENT = {"c": re.compile(r'"(?:\\.|[^"\\\n])*"|/\*(.*?)\*/|//([^\n]*)', re.DOTALL),
           "#": re.compile(r'^[ \t]*#([^\n]*)|"""(.*?)"""', re.DOTALL | re.MULTILINE)}


def files():
    """All of the tree: what git knows, or, without git, everything outside of builds."""
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        names = listed.stdout.splitlines()
        return [name for name in names if os.path.exists(os.path.join(SOURCE, name))]
    names = (os.path.relpath(os.path.join(folder, name), SOURCE)
             for folder, _, inside in os.walk(SOURCE) for name in inside)
    return [name for name in names if not re.match(r"(build|\.git|.*node_modules)", name)]


FILES = files()
KNOWN = set(FILES)


def read(name):
    with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
        return file.read()


def documents():
    return [name for name in FILES if name.endswith(".md")]


def without_code(text):
    """The same lines, those of fenced blocks empty."""
    lines, fenced = [], False
    for line in text.split("\n"):
        fence = line.lstrip().startswith("```")
        lines.append("" if fenced or fence else line)
        fenced ^= fence
    return "\n".join(lines)


def anchors(name):
    """As GitHub makes them: lower case, spaces to dashes, no punctuation, numbered where they repeat; and explicit ones."""
    text = without_code(read(name))
    made = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", text, re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        anchor = re.sub(r"[^\w -]", "", plain.lower()).replace(" ", "-")
        number, base = 0, anchor
        while anchor in made:
            number += 1
            anchor = f"{base}-{number}"
        made.add(anchor)
    return made | set(re.findall(r'<a id="([^"]+)">', text))


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def links_lead_somewhere():
    wrong = []
    for name in documents():
        text = without_code(read(name))
        targets = [(m.start(), m[1]) for m in re.finditer(r"\]\(([^)\s]+)\)", text)]
        targets += [(m.start(), m[1]) for m in re.finditer(r'\b(?:src|href)="([^"]+)"', text)]
        for position, target in targets:
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            page = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            where = f"{name}:{line_of(text, position)}"
            if not os.path.exists(os.path.join(SOURCE, page)):
                wrong.append(f"{where} links to {target}, which does not exist")
            elif anchor and anchor not in anchors(page):
                wrong.append(f"{where} links to {target}, and {page} has no such heading")
    assert not wrong, "\n".join(wrong)


def exists(cited, citing):
    """A bare name may be a file of any folder, a path may begin in any folder."""
    if os.path.basename(cited) in EXAMPLES or cited in KNOWN:
        return True
    return any(name == cited or name.endswith("/" + cited) for name in FILES) or \
        os.path.normpath(os.path.join(os.path.dirname(citing), cited)) in KNOWN


def prose(name):
    """What people read in a file, as pairs of position and text: all of a document, the comments of code."""
    text = read(name)
    if name.endswith(".md"):
        yield 0, without_code(text)
        return
    for match in COMMENT["#" if name.endswith((".py", ".sh")) else "c"].finditer(text):
        for group in 1, 2:
            if match[group]:
                yield match.start(group), match[group]


def cited_files_exist():
    wrong = []
    for name in FILES:
        if not name.endswith(CODE + (".md",)) or name.startswith(("tests/corpus/", "viewer/vendor/")):
            continue
        whole = read(name)
        for start, text in prose(name):
            for match in [*CITED.finditer(text), *OUTSIDE.finditer(text)]:
                if match.re is OUTSIDE or not exists(match[1], name):
                    wrong.append(f"{name}:{line_of(whole, start + match.start())} cites {match[1]}, which does not exist")
    assert not wrong, "\n".join(wrong)


def cited_names_exist():
    """Functions, types and constants of Lilyan that documents name; a name that ends with _ or * stands for several."""
    code = "\n".join(read(name) for name in FILES if name.endswith((".c", ".h")) and not name.startswith("tests/"))
    known = set(re.findall(r"\b(?:lil|LIL)_\w+", code))
    wrong = []
    for name in documents():
        text = without_code(read(name))
        for match in re.finditer(r"\b(?:lil|LIL)_\w*[a-zA-Z0-9](?![\w*])", text):
            if match[0] not in known:
                wrong.append(f"{name}:{line_of(text, match.start())} names {match[0]}, which does not exist")
    assert not wrong, "\n".join(wrong)


def paragraphs_wrap():
    wrong = []
    for name in documents():
        for number, line in enumerate(without_code(read(name)).split("\n"), 1):
            if len(line) <= COLUMNS or line.startswith(("|", "    ", "<", "[")) or re.search(r"\]\([^)]*\)", line):
                continue
            wrong.append(f"{name}:{number} has {len(line)} columns")
    assert not wrong, "\n".join(wrong)


def help_of(*command):
    return subprocess.run([os.environ["LILYAN"], *command, "--help"], capture_output=True, text=True, check=True).stdout


def man_page_is_complete():
    """Every command, every option of each, and everything that can be listed, as the help has them."""
    page = read("docs/lilyan.1").replace("\\-", "-")
    commands = re.findall(r"^  lilyan ([a-z]+) ", help_of(), re.MULTILINE)
    assert {"run", "list", "check"} <= set(commands)
    missing = [f"lilyan {command}" for command in commands if f"\n.B lilyan {command}\n" not in page]
    for command in commands:
        options = re.findall(r"^  (?:-\w, )?(--[a-z]+)", help_of(command), re.MULTILINE)
        missing += [f"{command} {option}" for option in options if not re.search(option + r"\b", page)]
    topics = re.findall(r"^  lilyan list ([a-z]+) ", help_of("list"), re.MULTILINE)
    assert "materials" in topics
    missing += [f"list {topic}" for topic in topics if not re.search(r"\\fB" + topic + r"\\fR", page)]
    assert not missing, f"docs/lilyan.1 lacks {missing}"


run([links_lead_somewhere, cited_files_exist, cited_names_exist, paragraphs_wrap, man_page_is_complete])
