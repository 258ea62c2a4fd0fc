// speed.mjs: how fast a report page is in a browser. Usage: speed.mjs CHROMIUM PAGE.html
// Prints NAME MILLISECONDS lines: `first` from the navigation to the overview, `ready` to all pages, `brush` the median over all pages of a new range,
// `frame` the median time of a frame while the timeline is zoomed.

import { resolve } from "node:path";
import { openReport, startBrowser } from "./browser.mjs";

const [chromium, path] = process.argv.slice(2);

function median(values) {
	return [...values].sort((a, b) => a - b)[values.length >> 1];
}

const {browser, end} = await startBrowser(chromium);
try {
	const {page, troubles} = await openReport(browser, resolve(path), {hash: "#overview"});
	const result = await page.evaluate(async () => {
		const {app, choose, report} = window.xer, span = report.head.duration_ns, frame = () => new Promise((done) => requestAnimationFrame(done));
		const brushes = [];
		for (const each of app.pages) {
			choose({page: each.id, from: null, to: null});
			await frame();
			await frame();
			for (const [from, to] of [[0.1, 0.6], [0.3, 0.4]]) {
				const before = performance.now();
				choose({from: Math.floor(from * span), to: Math.floor(to * span)});
				brushes.push(performance.now() - before);
				await frame();
				await frame();
			}
		}
		choose({page: "timeline", from: null, to: null});
		await frame();
		const canvas = document.querySelector(".lanesview canvas"), box = canvas.getBoundingClientRect(), frames = [];
		for (let i = 0; i < 40; i++) {
			const before = performance.now();
			canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: i < 20 ? -1 : 1, ctrlKey: true, clientX: box.x + box.width * 0.7, clientY: box.y + 60, bubbles: true, cancelable: true}));
			await frame();
			await new Promise((done) => setTimeout(done));
			frames.push(performance.now() - before);
		}
		return {brushes, frames, first: window.xer.first, ready: window.xer.ready};
	});
	console.log(`first ${result.first.toFixed(0)}`);
	console.log(`ready ${result.ready.toFixed(0)}`);
	console.log(`brush ${median(result.brushes).toFixed(0)}`);
	console.log(`worst_brush ${Math.max(...result.brushes).toFixed(0)}`);
	console.log(`frame ${median(result.frames).toFixed(1)}`);
	if (troubles.length) console.log(`troubles ${troubles[0]}`);
} finally {
	await end();
}
