// The index of the gallery: one self-contained page from a list of { name, text, bodies, light, dark }.

const escape = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

// 9e-15 as one reads it; names as they are
const prose = (text) => escape(text).replace(/(?<![\w.])(-?)(\d+(?:\.\d+)?)e(-?)(\d+)/g,
    (_, sign, m, minus, e) => `${sign ? "\u2212" : ""}${m === "1" ? "" : `${m}\u00b7`}10<sup>${minus ? "\u2212" : ""}${e}</sup>`)
    .replace(/(?<=\s)-(?=\d)/g, "\u2212").replace(/(?<=\d|<\/sup>) (?=([Jsm]|%)(?!\w))/g, "\u00a0");

const STYLE = `
:root { color-scheme: light dark; --back: #f6f5f2; --card: #fff; --ink: #1d2126; --soft: #5d6570; --line: #dcdad4; --sky: #eef1f4; --accent: #1f6fb2; }
@media (prefers-color-scheme: dark) { :root { --back: #14171b; --card: #1c2026; --ink: #e8eaed; --soft: #a3abb6; --line: #313740; --sky: #191d23; --accent: #6ab0f0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1280px; padding: 28px 20px 40px; background: var(--back); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 30px; margin: 0; letter-spacing: -0.015em; }
h2 { font-size: 19px; margin: 30px 0 12px; }
h3 { font-size: 16px; margin: 0 0 4px; }
header p, footer { color: var(--soft); max-width: 75ch; margin: 6px 0; }
footer { font-size: 13px; margin-top: 30px; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr)); gap: 18px; }
a.card { display: flex; flex-direction: column; background: var(--card); border: 1px solid var(--line); border-radius: 12px; overflow: hidden; color: inherit; text-decoration: none; }
a.card:hover, a.card:focus-visible { border-color: var(--accent); outline: none; box-shadow: 0 0 0 1px var(--accent); }
a.card:hover h3 { color: var(--accent); }
.card img { display: block; width: 100%; aspect-ratio: 8 / 5; object-fit: cover; background: var(--sky); }
.card div { padding: 12px 15px 14px; }
.card p { margin: 0; color: var(--soft); font-size: 14px; }
sup { font-size: 0.72em; line-height: 0; }
`;

function card({ name, text, light, dark }) {
    const image = `<picture><source media="(prefers-color-scheme: dark)" srcset="${dark}"><img src="${light}" alt=""></picture>`;
    return `<a class="card" href="${encodeURIComponent(name)}.html">${image}<div><h3>${escape(name)}</h3><p>${prose(text)}</p></div></a>`;
}

export function indexPage(cards) {
    const section = (title, list) => (list.length ? `<h2>${title}</h2>\n<section class="cards">\n${list.map(card).join("\n")}\n</section>` : "");
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>Lilyan: gallery</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Lilyan</h1>
<p>Motion that obeys mechanics. Every picture is a page that plays: the motion in 3-D, plots that follow the time, and the run's
certificate. Numbers below are measured by these very runs. The paper is Kharevych, Yang, Tong, Kanso, Marsden, Schr&ouml;der and
Desbrun, <i>Geometric, Variational Integrators for Computer Animation</i>, 2006.</p>
</header>
${section("Bodies", cards.filter((one) => one.bodies))}
${section("Lagrangians", cards.filter((one) => !one.bodies))}
<footer>Made by <code>make gallery</code>.</footer>
</body>
</html>
`;
}
