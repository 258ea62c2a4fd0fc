// views.mjs: checks of single views of report pages.

import { is, none } from "./browser.mjs";
import { tableOf, valueOf } from "./tables.mjs";

/** Lanes have the state that the terminal has most of, where one is far ahead. */
export async function checkStates(page, path, name) {
	const {span, unit, threads, merged} = await page.evaluate(() => {
		const {report} = window.xer, used = new Set(report.data.rows.thread);
		return {span: report.head.duration_ns, unit: report.aggregator.unit, merged: report.head.merged, threads: report.head.threads.map((thread, at) => ({number: thread.number, at})).filter(({number, at}) => number > 0 && used.has(at))};
	});
	const titles = {totalcpu: "running", wait: "ready, without a CPU", lock: "lock or condition", cond: "lock or condition", join: "thread or child", child: "thread or child", sleep: "sleep", poll: "poll",
		iowait: "file, pipe, socket, terminal", datapfault: "page fault", signal: "signal, stop, other", stop: "signal, stop, other", other: "signal, stop, other"};
	const troubles = [], seen = new Set(), parts = 12;
	for (let i = 0; i < parts; i++) {
		const from = Math.floor((i * span) / parts / unit) * unit, to = Math.floor(((i + 1) * span) / parts / unit) * unit;
		const {columns, rows} = tableOf(["-time", `${from}ns-${to}ns`, "-metrics", "e.any", "-threads", path], "threads");
		for (const row of rows) {
			const thread = threads.find(({number}) => row[0].includes(`Thread ${number},`)), sums = new Map();
			columns.forEach(({key}, at) => {
				const title = titles[key.slice(2)];
				if (title) sums.set(title, (sums.get(title) || 0) + valueOf(row[at]));
			});
			const [first, second] = [...sums].sort((a, b) => b[1] - a[1]);
			if (!thread || first[1] < 1.5 * second[1] + 3 * unit) continue;
			seen.add(first[0]);
			const shown = await page.evaluate((at, a, b) => window.xer.stateText(window.xer.report, at, a, b), thread.at, from, to);
			if (shown !== first[0]) troubles.push(`${from}-${to} ${row[0]}: ${shown} for ${first[0]} ${first[1]}`);
		}
	}
	none(`${name}: lanes have the state that the terminal has most of`, merged ? ["threads are merged"] : troubles);
	is(`${name}: at least three states were seen`, true, seen.size >= 3 || [...seen].join());
	await page.evaluate(() => window.xer.choose({page: "timeline"}));
	await page.waitForSelector(".lanesview canvas");
	const shown = await page.evaluate(async () => {
		await new Promise((done) => setTimeout(done, 200));
		const canvas = document.querySelector(".lanesview canvas"), {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height), colors = new Set();
		for (let i = 0; i < data.length; i += 4) colors.add(`rgb(${data[i]}, ${data[i + 1]}, ${data[i + 2]})`);
		return [...document.querySelectorAll(".legend .patch")].slice(0, 9).map((each) => [each.parentNode.textContent, colors.has(each.style.background)]);
	});
	none(`${name}: the legend's states are drawn in its colours`, [...seen].filter((title) => !shown.some(([text, isDrawn]) => text === title && isDrawn)));
	const headings = await page.$$eval("main th", (all) => all.map((each) => each.textContent).join());
	none(`${name}: the table of threads has the states in numbers`, ["Lock Wait", "Sleep", "I/O Wait"].filter((title) => !headings.includes(title)));
}

/** Of a huge function, the lines with the greatest values are shown, and it is said that others are not. */
export async function checkHuge(page, path) {
	await page.evaluate(() => window.xer.choose({page: "code", focus: "huge"}));
	for (const [command, title] of [["source", "Source"], ["disasm", "Instructions"]]) {
		const {columns, rows} = tableOf(["-metrics", "e.totalcpu", `-${command}`, "huge", path], command), at = columns.findIndex(({key}) => key === "e.totalcpu"), text = columns.findIndex(({key}) => key === "text");
		const most = rows.reduce((a, b) => (valueOf(b[at]) > valueOf(a[at]) ? b : a));
		const [shown, lines, gaps] = await page.evaluate((head) => {
			const section = [...document.querySelectorAll(".listing")].find((each) => each.querySelector("h2").textContent === head);
			return [section.innerText, section.querySelectorAll("tbody tr").length, (section.innerText.match(/\.\.\. \d+ lines: (no data|small values)/g) || []).length];
		}, title);
		const said = Number(/Of (\d+) lines, those around the greatest values are on this page/.exec(shown)?.[1]);
		is(`huge: ${command} says how many lines there are`, true, said > 900 && said <= rows.length || `${said} of ${rows.length}`);
		is(`huge: ${command} shows some of them, and where others are`, true, lines > 500 && lines < 1100 && gaps > 0 || `${lines} ${gaps}`);
		is(`huge: ${command} shows the one with most`, true, shown.includes(most[text].trim()));
	}
}

/** The overview is there before the events are, and is the same afterwards; other pages wait for them. */
export async function checkFirst(browser, path) {
	const page = await browser.newPage();
	await page.evaluateOnNewDocument(() => {
		const Real = window.DecompressionStream;
		let made = 0;
		const held = new Promise((done) => (window.letGo = done));
		window.DecompressionStream = class {
			constructor(format) {
				const real = new Real(format);
				if (made++ < 2) return real;
				return {writable: real.writable, readable: real.readable.pipeThrough(new window.TransformStream({flush: () => held}))};
			}
		};
	});
	await page.goto(`file://${path}`);
	await page.waitForFunction("document.querySelector('.figure') && document.readyState === 'complete'");
	const before = await page.$eval("main", (main) => main.innerText);
	await page.click("#tabs a[data-page=functions]");
	const [waiting, ready] = await page.evaluate(() => [document.querySelector("main").innerText, document.documentElement.dataset.ready]);
	is("first: a page that needs the events waits for them", "Reading … null", `${waiting} ${ready}`);
	await page.evaluate(() => window.letGo());
	await page.waitForFunction("document.documentElement.dataset.ready === '1'");
	is("first: and is shown when they are there", true, await page.$eval("main", (main) => main.innerText.includes("Excl.")));
	await page.click("#tabs a[data-page=overview]");
	is("first: the overview does not wait for events, and they do not change it", before, await page.$eval("main", (main) => main.innerText));
	is("first: it has figures and functions", true, /Total CPU Time/.test(before) && /by function/.test(before));
	await page.close();
}
