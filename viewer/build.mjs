// node build.mjs WORK OUTPUT.c: bundles src/ with esbuild (from WORK/node_modules) into page.html, and writes that as a C
// array and as WORK/page.html.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [work, output] = process.argv.slice(2);
const { build } = createRequire(join(work, "package.json"))("esbuild");
const MARK = "<!--lilyan:data-->";

const result = await build({
    entryPoints: [join(here, "src/main.js")],
    bundle: true,
    minify: true,
    charset: "utf8",
    format: "iife",
    target: ["es2020"],
    legalComments: "none", // their licences stand in the page, whole
    nodePaths: [join(work, "node_modules")],
    outfile: join(work, "bundle.js"),
    write: false,
    logLevel: "warning",
});
const text = (suffix) => result.outputFiles.find((file) => file.path.endsWith(suffix)).text;
// inside <script> only these could end it or begin a comment
const js = text(".js").replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
const css = text(".css");

const licences = ["three", "uplot"].map((name) => {
    const { version } = JSON.parse(readFileSync(join(work, "node_modules", name, "package.json"), "utf8"));
    const licence = readFileSync(join(work, "node_modules", name, "LICENSE"), "utf8").trim();
    return `${name} ${version}\n\n${licence}`;
}).join("\n\n");
if (/--/.test(licences)) throw new Error("a licence would end the comment it stands in");

// replaced by functions: a '$&' in the bundle means nothing
const page = readFileSync(join(here, "page.html"), "utf8")
    .replace("<!--licences-->", () => `<!--\nThis page contains:\n\n${licences}\n-->`)
    .replace("/*css*/", () => css)
    .replace("/*js*/", () => js);
if (page.split(MARK).length !== 2) throw new Error(`page.html needs one ${MARK}`);

const bytes = Buffer.from(page);
const rows = [];
for (let i = 0; i < bytes.length; i += 32) rows.push([...bytes.subarray(i, i + 32)].join(","));
writeFileSync(join(work, "page.html"), page);
writeFileSync(output, `/* made from viewer/ by build.mjs */
#include "record/page/viewer.h"
const unsigned char lil_viewer_page[] = {
${rows.join(",\n")}
};
const size_t lil_viewer_page_size = sizeof lil_viewer_page;
`);
