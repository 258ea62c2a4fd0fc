// report.mjs: report pages in a browser against the tables of xer_print. Usage: report.mjs CHROMIUM XER_PRINT EXPERIMENT...
// Beside each EXPERIMENT.er is its page EXPERIMENT.html. Prints claims.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, resolve } from "node:path";
import { is, none, notOk, ok, openReport, startBrowser } from "./browser.mjs";
import { comparable, differences, rowsOf, rowsOfPage, sizesOf, tableOf, xerPrint } from "./tables.mjs";
import { checkTouch } from "./touch.mjs";
import { checkFirst, checkHuge, checkStates } from "./views.mjs";

const [chromium, , ...paths] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What filters cannot leave as it was: who held the memory of the peak is found out again. */
const PEAK = /peak/;

const NEVER = /^$/;

async function checkTables(page, path, name) {
	for (const [by, command] of [["function", "functions"], ["line", "lines"]])
		none(`${name}: ${command} on the page and in the terminal are equal`, differences(rowsOf(tableOf(["-metrics", "ei.any", `-${command}`, path], command), NEVER), await rowsOfPage(page, by, NEVER)));
	none(`${name}: the sums and the first functions of the head are those of the rows`, await page.evaluate(() => {
		const {report} = window.xer, troubles = [];
		for (const metric of report.head.metrics.filter((each) => !each.live && each.whole !== undefined)) {
			const {exclusive} = report.flat(metric, "function"), sum = report.values(metric).reduce((a, b) => a + b, 0);
			if (sum !== metric.whole) troubles.push(`${metric.keyword} ${metric.whole} for ${sum}`);
			const most = [...exclusive].filter((value) => value).sort((a, b) => b - a).slice(0, 6), names = new Map();
			exclusive.forEach((value, key) => names.set(`${report.name("function", key)} ${value}`, true));
			if (metric.top && (String(metric.top.map(([, value]) => value)) !== String(most) || !metric.top.every((each) => names.has(each.join(" "))))) troubles.push(`${metric.keyword} ${metric.top} for ${most}`);
		}
		return troubles;
	}));
	const text = spawnSync(xerPrint, ["-overview", path], {encoding: "utf8"}).stdout;
	const shown = await page.evaluate(() => window.xer.report.usual.map((metric) => [metric.meaning, [...document.querySelectorAll(".figure")].map((each) => each.textContent).join("\n")]));
	none(`${name}: the overview has what the terminal tells`, shown.filter(([meaning, all]) => text.includes(meaning) && !all.includes(meaning) && !new RegExp(`${meaning} +0(\\.000)?\\b`).test(text)).map(([meaning]) => meaning));
}

/** Choose on the page, and compare with commands that choose the same. */
async function checkChoice(page, path, claim, choice, args, command = null) {
	await page.evaluate((what) => {
		const {state, choose} = window.xer;
		choose({from: what.from ?? null, to: what.to ?? null, threads: what.threads ? new Set(what.threads) : null, search: what.search ?? "", only: what.search !== undefined});
		return state.page;
	}, choice);
	none(claim, differences(rowsOf(tableOf([...args, "-metrics", "ei.any", "-functions", path], "functions"), PEAK, true), await rowsOfPage(page, "function", PEAK, true)));
	if (command) await checkCommand(page, claim);
}

/** What `copy as command` gives is run by a shell: its total is that of the page. */
async function checkCommand(page, claim) {
	await page.evaluate(() => window.xer.choose({page: "functions", by: "function"}));
	const [command, total, keyword] = await page.evaluate(() => {
		const button = document.querySelector("button.copy");
		button.dispatchEvent(new Event("pointerenter"));
		return [button.title, window.xer.report.sum(window.xer.report.chosen), window.xer.report.chosen.keyword];
	});
	const run = command.replace(/^xer_print/, `"$XER_PRINT" -printmode json -metrics e.${keyword}`);
	const text = execFileSync("bash", ["-c", `${run} 2>/dev/null || true`], {encoding: "utf8", env: {...process.env, XER_PRINT: xerPrint}});
	const found = /\["<Total>", ([0-9.]+)/.exec(text);
	const printed = found ? Number(found[1].replace(".", "")) : NaN;
	is(`${claim}: its command prints the same total`, true, Math.abs(total - printed) <= (found?.[1].includes(".") ? 1000 : 0) || `${printed} for ${total}`);
}

async function checkChoices(page, path, name) {
	const {span, unit, threads, functions, experiments, waits} = await page.evaluate(() => {
		const {report} = window.xer, used = new Set(report.data.rows.thread);
		return {
			span: report.head.duration_ns, unit: report.aggregator.unit, experiments: report.head.experiments.length, waits: report.head.kinds.some((kind) => kind.name === "wall-clock"),
			threads: report.head.threads.map((thread, at) => ({...thread, at, id: report.head.experiments[thread.experiment].id})).filter((each) => each.number > 0 && used.has(each.at)),
			functions: [...report.data.functions.name].map((at) => report.data.strings[at]),
		};
	});
	const snap = (from, to) => [Math.floor(from / unit) * unit, Math.ceil(to / unit) * unit];
	// Waits of wall-clock time count at their ends in a page; the command `time` divides them.
	for (const [a, b] of waits ? [] : [[0.1, 0.6], [0.45, 0.55]]) {
		const [from, to] = snap(a * span, b * span);
		await checkChoice(page, path, `${name}: time ${a} to ${b} of the run`, {from, to}, ["-time", `${from}ns-${to}ns`], a === 0.1);
	}
	await checkLive(page, path, name, snap(0.2 * span, 0.5 * span), threads.at(-1));
	if (["halves", "java", "many", "waits", "user", "mpi", "calls"].includes(name)) await checkNarrow(page, path, name, snap(0.1 * span, (name === "java" ? 0.85 : 0.5) * span), threads.at(-1));
	const thread = threads.at(-1);
	if (thread) await checkChoice(page, path, `${name}: one thread`, {threads: [thread.at]}, ["-thread_select", `${experiments > 1 ? `${thread.id}:` : ""}${thread.number}`], true);
	const word = functions.find((each) => /^[a-z_]{4,}$/.test(each) && each !== "main") || "main";
	await checkChoice(page, path, `${name}: stacks with ${word}`, {search: word}, ["-filters", `FNAME(".*(${word}).*") IN STACK`], true);
	await page.evaluate(() => window.xer.choose({from: null, to: null, threads: null, search: "", only: false}));
}

/** What was allocated in a range and is live at its end, by function, as a filter has it. */
async function checkLive(page, path, name, [from, to], thread) {
	if (!(await page.evaluate(() => window.xer.report.metric("livebytes")))) return;
	for (const [range, threads, args] of [[[from, to], null, []], [[0, to], null, []], [[from, to], [thread.at], ["-thread_select", String(thread.number)]]]) {
		const shown = await page.evaluate((a, b, list) => {
			const {choose, report} = window.xer;
			choose({page: "flame", metric: "livebytes", from: a, to: b, threads: list && new Set(list)});
			const names = new Map();
			for (const [metric, key] of [["livebytes", "heapallocbytes"], ["livecount", "heapalloccnt"]]) {
				const flat = report.flat(report.metric(metric), "function");
				flat.inclusive.forEach((value, at) => {
					for (const [way, number] of [["e", flat.exclusive[at]], ["i", value]]) if (number) names.set(at, [...(names.get(at) || []), `${way}.${key}=${number}`]);
				});
			}
			return [...names].map(([at, line]) => `${report.name("function", at)} ${line.sort().join(" ")}`).filter((line) => !line.startsWith("<Total>")).sort();
		}, ...range, threads);
		none(`${name}: what is live at the end of ${range[0] ? "a range" : "a range from the start"}${threads ? " of a thread" : ""}`, differences(rowsOf(tableOf(
			["-time", `${range[0]}ns-${to}ns`, ...args, "-filters", `HFREE_TSTAMP >= ${to}ns`, "-metrics", "ei.heapallocbytes:ei.heapalloccnt", "-functions", path], "functions"), NEVER), shown));
		const command = await page.$eval("main button.copy", (button) => button.title), [, sum] = await page.evaluate(() => ["", window.xer.report.sum(window.xer.report.chosen)]);
		const text = execFileSync("bash", ["-c", command.replace(/^xer_print/, '"$XER_PRINT"').replace("-calltree", "-functions")], {encoding: "utf8", env: {...process.env, XER_PRINT: xerPrint}, stdio: ["ignore", "pipe", "ignore"]});
		is(`${name}: the command of what is live prints its total${threads ? " of a thread" : range[0] ? "" : " from the start"}`, String(sum), (/^\s*([\d\u2009 ]+?)\s.*<Total>/m.exec(text)?.[1] || "").replace(/\D/g, ""));
	}
	await page.evaluate(() => window.xer.choose({metric: ""}));
}

/** Tables of other commands for a part of the recording. */
async function checkNarrow(page, path, name, [from, to], thread) {
	const commands = await page.evaluate(() => [...new Set(window.xer.report.data.documents.map((each) => each.command))]);
	const choices = [["a range", {from, to, threads: null}, ["-time", `${from}ns-${to}ns`]], ["a thread", {from: null, to: null, threads: [thread.at]}, ["-thread_select", `${thread.id}:${thread.number}`]]];
	if (name === "many") choices.push(["stacks with a function", {from: null, to: null, threads: null, search: "use_blocks", only: true}, ["-filters", 'FNAME(".*(use_blocks).*") IN STACK']]);
	for (const [claim, choice, args] of choices)
		for (const command of choice.only ? ["heapstat", "allocs"] : ["leaks", "allocs", "heapmaps", "sync", "iocallstack", "syncwaits", "locks", "ioactivity", "iodetail", "hooks", "mpifunctions", "mpimessages", "mpiranks", "calls", "heapstat", "iostat", "javaheap"].filter((each) => commands.includes(each))) {
			const shown = await page.evaluate((which, {threads, ...range}) => {
				const {choose, report, narrowed} = window.xer;
				choose({...range, threads: threads && new Set(threads)});
				return narrowed(report, report.data.documents.find((each) => each.command === which));
			}, command, choice);
			const text = spawnSync(xerPrint, ["-printmode", "json", "-limit", "0", ...args, `-${command}`, path], {encoding: "utf8", maxBuffer: 1 << 28}).stdout;
			const printed = JSON.parse(text.split(/\n(?=\{"command")/).at(-1)).tables;
			if (/stat$/.test(command)) none(`${name}: ${command} of ${claim}`, differences(sizesOf(printed), sizesOf(shown)));
			else none(`${name}: ${command} of ${claim}`, differences(comparable(printed), comparable(shown)));
		}
	await page.evaluate(() => window.xer.choose({from: null, to: null, threads: null, search: "", only: false}));
}

/** The curves of the timeline have what tables tell: the peak of the heap, the resident set, the sums of counters. */
async function checkCurves(page, path, name) {
	const curves = await page.evaluate(() => {
		const {curves: list, report} = window.xer, span = report.head.duration_ns;
		return list.map((curve) => {
			const wide = curve.title === "Heap" ? report.head.curves[0].width_ns * report.head.curves[0].values.length : span;
			const values = [...curve.at(0, wide, curve.title === "Heap" ? report.head.curves[0].values.length : 500)], metric = report.head.metrics.find((each) => each.meaning === curve.title);
			const zoomed = curve.at(span / 4, span / 2, 50);
			return {title: curve.title, most: Math.max(...values), sum: (values.reduce((a, b) => a + b, 0) / 500) * (span / 1e9), wanted: metric ? report.sum(metric) : 0, isPart: Math.max(...zoomed) <= Math.max(...values) * (metric ? 50 : 1)};
		});
	});
	const largest = (command, called, key) => {
		const table = tableOf([command, path], called), at = table.columns.findIndex((column) => column.key === key);
		return table.rows.reduce((most, row) => Math.max(most, row[at] || 0), 0);
	};
	const isOne = (await page.evaluate(() => window.xer.report.head.experiments.length)) === 1;
	for (const {title, most, sum, wanted, isPart} of curves) {
		if (title.startsWith("Resident") && isOne) is(`${name}: the curve of the resident set ends with its peak`, largest("-statistics", "statistics", "peak_rss"), most);
		if (title === "Heap" && isOne) is(`${name}: the curve of the heap has its peak`, largest("-heapstat", "peak", "bytes"), most);
		if (wanted) is(`${name}: the curve of ${title} has its sum`, true, Math.abs(sum - wanted) <= wanted / 20 || `${sum} for ${wanted}`);
		is(`${name}: the curve of ${title} has a part`, true, isPart);
	}
}

/** Show every page in every form. */
async function walk(page) {
	return page.evaluate(async () => {
		const {app, choose} = window.xer, seen = [], next = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
		for (const each of app.pages) {
			choose({page: each.id});
			await next();
			if (!document.querySelector("main").innerText.trim()) seen.push(`${each.id} is empty`);
		}
		for (const form of ["icicle", "flame", "sandwich"])
			for (const by of ["function", "line", "object", "thread"]) {
				choose({page: "flame", form, by, fold: form === "flame"});
				await next();
			}
		for (const by of ["function", "line", "object", "thread"]) {
			choose({page: "functions", by});
			await next();
		}
		choose({page: "overview", form: "icicle", by: "function", fold: false});
		await next();
		return seen;
	});
}

async function checkAccess(page, name, scheme) {
	await page.evaluate(axe);
	const pages = await page.evaluate(() => window.xer.app.pages.map((each) => each.id)), troubles = [];
	for (const id of pages) {
		await page.evaluate((which) => window.xer.choose({page: which}), id);
		const result = await page.evaluate(async () => {
			const {violations} = await window.axe.run(document, {resultTypes: ["violations"]});
			return violations.map((each) => `${each.id} (${each.nodes.length}): ${each.nodes[0].html.slice(0, 120)}`);
		});
		troubles.push(...result.map((each) => `${id}: ${each}`));
	}
	none(`${name}: axe finds nothing, ${scheme}`, troubles);
}

/** Keys and pointer do what they say. */
async function checkHands(page, name) {
	await page.evaluate(() => window.xer.choose({page: "flame", form: "icicle", from: null, to: null}));
	const strip = await page.$("#strip canvas"), box = await strip.boundingBox();
	await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.5, box.y + 20, {steps: 4});
	await page.mouse.up();
	const [from, to, span, unit] = await page.evaluate(() => [window.xer.state.from, window.xer.state.to, window.xer.report.head.duration_ns, window.xer.report.aggregator.unit]);
	const near = (value, share) => Math.abs(value - share * span) <= unit + span / 100;
	is(`${name}: dragging over the strip chooses a range`, true, near(from, 0.25) && near(to, 0.5));
	await strip.focus();
	await page.keyboard.press("Escape");
	is(`${name}: Escape chooses all of the time`, null, await page.evaluate(() => window.xer.state.from));
	const picture = await page.$("main .picture canvas");
	await picture.focus();
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowDown");
	is(`${name}: a screen reader is told of the call that has the focus`, true, /of itself/.test(await page.$eval("#status", (each) => each.textContent)));
	await page.evaluate(() => window.xer.choose({page: "timeline"}));
	const lanes = await page.waitForSelector(".lanesview canvas");
	await lanes.focus();
	await page.keyboard.press("+");
	await page.keyboard.press("Enter");
	const zoomed = await page.evaluate(() => [window.xer.state.from, window.xer.state.to, window.xer.report.head.duration_ns]);
	is(`${name}: in the timeline, plus and Enter choose a part`, true, zoomed[0] !== null && zoomed[1] - zoomed[0] < zoomed[2] || zoomed.join(" "));
	await (await page.waitForSelector(".lanesview canvas")).focus();
	await page.keyboard.press("Escape");
	is(`${name}: and Escape all of it`, null, await page.evaluate(() => window.xer.state.from));
	await page.evaluate(() => window.xer.choose({page: "flame"}));
	await (await page.waitForSelector("main .picture canvas")).focus();
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("s");
	is(`${name}: S shows callers and callees`, "sandwich", await page.evaluate(() => window.xer.state.form));
	await page.keyboard.press("/");
	await page.keyboard.type("work");
	await page.waitForFunction('window.xer.state.search === "work"');
	ok(`${name}: / leads to the search`);
	is(`${name}: the address has what is chosen`, true, await page.evaluate(() => location.hash.includes("search=work") && location.hash.includes("form=sandwich")));
}

async function checkExperiment(browser, path) {
	const name = basename(path, ".er"), {page, troubles} = await openReport(browser, resolve(path.replace(/\.er$/, ".html")));
	try {
		await checkTables(page, path, name);
		await checkChoices(page, path, name);
		await checkCurves(page, path, name);
		if (name === "wall") await checkStates(page, path, name);
		troubles.push(...(await walk(page)));
		if (name === "profile" || name === "waits") await checkAccess(page, name, "light");
		if (name === "profile") await checkHands(page, name);
		if (name === "hostile") await checkHostile(page);
		if (name === "huge") await checkHuge(page, path);
	} catch (error) {
		notOk(`${name}: the page can be driven`, error.stack);
	}
	none(`${name}: no message, no request, no empty page`, troubles);
	await page.close();
}

/** Names of any kind are shown as text, and none is run. */
async function checkHostile(page) {
	const [found, scripts] = await page.evaluate(async () => {
		const {app, choose} = window.xer, next = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
		let text = "";
		for (const each of app.pages) {
			choose({page: each.id});
			await next();
			text += document.body.innerText + document.title;
		}
		return [text, document.querySelectorAll("img, script:not([type]), b, iframe").length];
	});
	is("hostile: the script is shown as text", true, found.includes("</script><script>alert(1)</script>"));
	is("hostile: what changes the direction of text is shown by its number", true, found.includes("r\\u202eevil\"&'<img src=x onerror=alert(2)>") && !found.includes("\u202e"));
	is("hostile: bytes that are no UTF-8 are shown by their numbers", true, found.includes("bad\\xff\\xc0utf"));
	is("hostile: a name of 10,000 characters is there", true, found.includes("x".repeat(1000)));
	is("hostile: no element was made of a name", 1, scripts);
}

/** A page with -base has the values of both. */
async function checkDifference(browser, path, newer, older) {
	const {page, troubles} = await openReport(browser, resolve(path), {hash: "#difference"});
	for (const [base, of] of [[false, newer], [true, older]]) {
		const rows = rowsOf(tableOf(["-metrics", "ei.any", "-functions", of], "functions"), NEVER);
		const shown = (await page.evaluate((isBase) => {
			const {report} = window.xer, metrics = report.head.metrics.filter((each) => !each.live && report.hasValues(each));
			const flats = metrics.map((each) => report.flat(each, "function", isBase)), lines = [];
			for (let key = 0; key < report.data.functions.name.length; key++) {
				const line = flats.flatMap((flat, at) => [["e", flat.exclusive[key]], ["i", flat.inclusive[key]]].filter(([, value]) => value).map(([kind, value]) => `${kind}.${metrics[at].keyword}=${value}`));
				if (line.length) lines.push(`${report.name("function", key)} ${line.sort().join(" ")}`);
			}
			return lines;
		}, base)).filter((line) => !line.startsWith("<Total>"));
		none(`difference: the values of ${basename(of)}`, differences(rows, shown));
	}
	is("difference: the table of changes is there", true, await page.$eval("main", (main) => main.innerText.includes("Std. dev.")));
	none("difference: no message, no request", troubles);
	await page.close();
}

/** On paper: light, what can only be clicked left out, no table cut off at the right. */
async function checkPrint(browser, path) {
	const {page, troubles} = await openReport(browser, path, {width: 794, height: 1123, scheme: "dark"});
	await page.emulateMediaType("print");
	for (const id of await page.evaluate(() => window.xer.app.pages.map((each) => each.id))) {
		await page.evaluate((which) => window.xer.choose({page: which}), id);
		troubles.push(...(await page.evaluate((which) => {
			window.dispatchEvent(new Event("beforeprint"));
			const wrong = [], root = document.documentElement, shown = [...document.querySelectorAll(".controls, .tools, .tabletools, #theme")].filter((each) => each.getBoundingClientRect().height > 0);
			if (getComputedStyle(root).getPropertyValue("--back").trim() !== "#ffffff") wrong.push("is dark");
			if (shown.length) wrong.push(`shows ${shown[0].className || shown[0].id}`);
			for (const table of document.querySelectorAll("table")) if (table.getBoundingClientRect().right > window.innerWidth + 1) wrong.push(`cuts off ${table.caption?.textContent}`);
			window.dispatchEvent(new Event("afterprint"));
			if (root.dataset.theme !== "dark") wrong.push("stays light");
			return wrong.map((each) => `${which} ${each}`);
		}, id)));
	}
	none(`${basename(path, ".html")}: can be printed`, troubles);
	await page.close();
}

async function checkSizes(browser, path) {
	const troubles = [];
	for (const [width, height] of [[1280, 800], [3840, 2160], [390, 844]]) {
		const opened = await openReport(browser, path, {width, height, scheme: "dark"});
		for (const id of await opened.page.evaluate(() => window.xer.app.pages.map((each) => each.id))) {
			await opened.page.evaluate((which) => window.xer.choose({page: which}), id);
			const over = await opened.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
			if (over > 1) troubles.push(`${id} is ${over} pixels too wide for ${width}`);
		}
		if (width === 1280) await checkAccess(opened.page, basename(path, ".html"), "dark");
		troubles.push(...opened.troubles);
		await opened.page.close();
	}
	none(`${basename(path, ".html")}: fits 1,280 and 3,840 pixels and a phone`, troubles);
}

const {browser, end} = await startBrowser(chromium);
try {
	for (const path of paths) await checkExperiment(browser, path);
	await checkDifference(browser, "difference.html", "profile.er", "heap.er");
	for (const path of paths.filter((each) => /(profile|hostile)\.er$/.test(each))) {
		await checkSizes(browser, resolve(path.replace(/\.er$/, ".html")));
		if (path.endsWith("profile.er")) await checkPrint(browser, resolve(path.replace(/\.er$/, ".html")));
		if (path.endsWith("profile.er")) await checkTouch(browser, resolve(path.replace(/\.er$/, ".html")), openReport);
		if (path.endsWith("profile.er")) await checkFirst(browser, resolve(path.replace(/\.er$/, ".html")));
	}
} finally {
	await end();
}
