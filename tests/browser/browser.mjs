// browser.mjs: one headless browser for all tests, and the claims that they print for tests/run-e2e.

import puppeteer from "puppeteer-core";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function ok(claim) {
	console.log(`ok ${claim}`);
}

export function notOk(claim, why) {
	console.log(`not ok ${claim}: ${String(why).replace(/\s+/g, " ").slice(0, 600)}`);
}

/** One claim: that a list of troubles is empty. */
export function none(claim, troubles) {
	if (troubles.length === 0) ok(claim);
	else notOk(claim, `${troubles.length}: ${troubles.slice(0, 3).join("; ")}`);
}

export function is(claim, expected, actual) {
	if (expected === actual) ok(claim);
	else notOk(claim, `expected '${expected}', got '${actual}'`);
}

export async function startBrowser(executablePath) {
	const userDataDir = mkdtempSync(join(tmpdir(), "xer-browser-"));
	const browser = await puppeteer.launch({
		executablePath, headless: true, userDataDir, timeout: 30000, protocolTimeout: 60000,
		args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-dev-shm-usage"],
	});
	return {
		browser,
		async end() {
			await browser.close();
			rmSync(userDataDir, {recursive: true, force: true, maxRetries: 5});
		},
	};
}

/** A page of a report. `troubles` gets all that it says, throws or asks for. */
export async function openReport(browser, path, {hash = "", width = 1280, height = 900, scheme = "light"} = {}) {
	const page = await browser.newPage(), troubles = [];
	page.setDefaultTimeout(30000);
	page.on("console", (message) => troubles.push(`console: ${message.text()}`));
	page.on("pageerror", (error) => troubles.push(`error: ${error.stack || error.message}`));
	page.on("dialog", (dialog) => {
		troubles.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	page.on("request", (request) => {
		if (request.url() !== `file://${path}` && !request.url().startsWith(`file://${path}#`)) troubles.push(`request: ${request.url()}`);
	});
	await page.setViewport({width, height});
	await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: scheme}]);
	await page.goto(`file://${path}${hash}`);
	await page.waitForFunction("document.documentElement.dataset.ready");
	if ((await page.evaluate("document.documentElement.dataset.ready")) !== "1") troubles.push(await page.evaluate("document.body.innerText"));
	return {page, troubles};
}
