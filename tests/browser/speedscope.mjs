// speedscope.mjs: opens a file in speedscope and prints what that shows. Usage: speedscope.mjs CHROMIUM FILE
// The first line is the name of the profile that it begins with, then "total<TAB>self<TAB>function" lines.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { startBrowser } from "./browser.mjs";

const [chromium, file] = process.argv.slice(2), here = dirname(fileURLToPath(import.meta.url));

// As speedscope's own command does it: a script beside the page gives it the file.
const script = resolve(`${file}.js`);
writeFileSync(script, `speedscope.loadFileFromBase64("profile.json", "${readFileSync(file).toString("base64")}")`);

const {browser, end} = await startBrowser(chromium);
try {
	const page = await browser.newPage();
	page.on("pageerror", (error) => console.log(`error: ${error.message}`));
	await page.setViewport({width: 1400, height: 2000});
	await page.goto(`file://${join(here, "node_modules/speedscope/dist/release/index.html")}#localProfilePath=${script}`);
	await page.waitForFunction("document.body.innerText.includes('Sandwich') && /\\(1\\/[0-9]+\\)|All threads/.test(document.body.innerText)", {timeout: 30000});
	await page.keyboard.press("3");
	await page.waitForFunction("document.body.innerText.includes('Symbol Name')", {timeout: 30000});
	console.log((await page.title()).replace(/ - speedscope$/, ""));
	console.log((await page.$$eval("tr", (rows) => rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.innerText.trim()).join("\t"))))
		.filter((row) => row.includes("\t")).join("\n"));
} finally {
	await end();
}
