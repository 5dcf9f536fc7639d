// node picture.mjs BUILD PAGE TIME OUT.jpg: a page's motion at a time, as a small picture.
import { writeFileSync } from "node:fs";
import { launch, picture } from "./browser.mjs";

const [build, page, time, output] = process.argv.slice(2);
const browser = await launch(build, { deviceScaleFactor: 1.5 });
try { writeFileSync(output, await picture(browser.context, page, { time: Number(time), width: 440, height: 330, scheme: "light" })); }
finally { await browser.close(); }
