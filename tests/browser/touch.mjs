// touch.mjs: fingers on a report page, by the DevTools protocol, which sends what a touch screen sends.

import { is } from "./browser.mjs";

/** Move fingers from some places to others in steps. Each is [x, y]. */
async function touch(session, from, to, {steps = 8, isCancelled = false} = {}) {
	const points = (share) => from.map(([x, y], id) => ({id, x: x + (to[id][0] - x) * share, y: y + (to[id][1] - y) * share}));
	await session.send("Input.dispatchTouchEvent", {type: "touchStart", touchPoints: points(0).slice(0, 1)});
	if (from.length > 1) await session.send("Input.dispatchTouchEvent", {type: "touchStart", touchPoints: points(0)});
	for (let i = 1; i <= steps; i++) await session.send("Input.dispatchTouchEvent", {type: "touchMove", touchPoints: points(i / steps)});
	await session.send("Input.dispatchTouchEvent", {type: isCancelled ? "touchCancel" : "touchEnd", touchPoints: []});
}

async function boxOf(page, selector) {
	const element = await page.waitForSelector(selector);
	await element.evaluate((each) => each.scrollIntoView({block: "center"}));
	return element.boundingBox();
}

const chosen = (page) => page.evaluate(() => [window.xer.state.from, window.xer.state.to]);
const reset = (page) => page.evaluate(() => window.xer.choose({page: "timeline", from: null, to: null, threads: null}));

/** What the timeline shows: Enter chooses it. */
async function visible(page) {
	await (await page.waitForSelector(".lanesview canvas")).focus();
	await page.keyboard.press("Enter");
	const [from, to] = await chosen(page);
	await page.evaluate(() => window.xer.choose({from: null, to: null}));
	return [from, to];
}

/** Drags choose, pinches zoom, and fingers that go up or down scroll the page. */
export async function checkTouch(browser, path, openReport) {
	const {page, troubles} = await openReport(browser, path, {width: 390, height: 844, hash: "#timeline"}), session = await page.createCDPSession();
	await session.send("Emulation.setTouchEmulationEnabled", {enabled: true, maxTouchPoints: 5});
	const [span, unit] = await page.evaluate(() => [window.xer.report.head.duration_ns, window.xer.report.aggregator.unit]);
	const near = (value, share) => value !== null && Math.abs(value - share * span) <= unit + span / 30;
	for (const [name, selector, first] of [["strip", "#strip canvas", 0], ["timeline", ".lanesview canvas", 90]]) {
		await reset(page);
		const box = await boxOf(page, selector), wide = box.width - first, y = box.y + box.height - 12, at = (share) => [box.x + first + wide * share, y];
		await touch(session, [at(0.3)], [at(0.6)]);
		const [from, to] = await chosen(page);
		is(`touch: a finger that moves over the ${name} chooses a range`, true, near(from, 0.3) && near(to, 0.6) || `${from} ${to} of ${span}`);
		await reset(page);
		await touch(session, [at(0.3)], [[at(0.3)[0], y - 200]]);
		is(`touch: one that moves up over the ${name} chooses nothing`, "", (await chosen(page)).join(""));
		await reset(page);
		let low = (await boxOf(page, selector)).y + box.height - 12;
		await touch(session, [[at(0.3)[0], low]], [[at(0.6)[0], low]], {isCancelled: true});
		is(`touch: a finger that the system takes away from the ${name} chooses nothing`, "", (await chosen(page)).join(""));
		low = (await boxOf(page, selector)).y + box.height - 12;
		await touch(session, [[at(0.5)[0], low]], [[at(0.9)[0], low]]);
		is(`touch: the next one on the ${name} begins again`, true, near((await chosen(page))[0], 0.5) || String(await chosen(page)));
	}
	await reset(page);
	const box = await boxOf(page, ".lanesview canvas"), middle = box.x + 90 + (box.width - 90) / 2, y = box.y + box.height - 12;
	await touch(session, [[middle - 30, y], [middle + 30, y]], [[middle - 90, y], [middle + 90, y]]);
	is("touch: two fingers choose nothing", "", (await chosen(page)).join(""));
	const [from, to] = await visible(page);
	is("touch: two fingers that part enlarge the timeline around them", true, near(from, 1 / 3) && near(to, 2 / 3) || `${from} ${to} of ${span}`);
	const after = await boxOf(page, ".lanesview canvas"), low = after.y + after.height - 12;
	await touch(session, [[middle - 90, low], [middle + 90, low]], [[middle - 30, low], [middle + 30, low]]);
	const [all, end] = await visible(page);
	is("touch: two that come together make it small again", true, near(all, 0) && near(end, 1) || `${all} ${end} of ${span}`);
	await reset(page);
	const map = await boxOf(page, ".picture canvas");
	await touch(session, [[map.x + map.width * 0.2, map.y + 40]], [[map.x + map.width * 0.7, map.y + 40]]);
	const [left, right] = await chosen(page);
	is("touch: a finger on the heat map chooses a range", true, left !== null && left < 0.45 * span && right > 0.55 * span || `${left} ${right} of ${span}`);
	await reset(page);
	const lanes = await boxOf(page, ".lanesview canvas");
	await touch(session, [[lanes.x + 30, lanes.y + lanes.height - 12]], [[lanes.x + 30, lanes.y + lanes.height - 12]], {steps: 0});
	is("touch: a tap on the name of a thread chooses it", 1, await page.evaluate(() => window.xer.state.threads?.size));
	await page.evaluate(() => window.xer.choose({page: "flame", form: "icicle", threads: null}));
	const picture = await boxOf(page, ".picture canvas");
	await touch(session, [[picture.x + 40, picture.y + 45]], [[picture.x + 40, picture.y + 45]], {steps: 0});
	await page.waitForFunction("document.querySelector('#status').textContent.includes('of itself')");
	is("touch: a tap on a call enlarges it", true, await page.$eval("#status", (each) => !each.textContent.startsWith("<Total>")));
	is("touch: no message, no request", "", troubles.join());
	await page.close();
}
