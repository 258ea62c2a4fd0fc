// functions.js: the flat tables: functions, lines, load objects and threads, with exclusive and inclusive values.

import { commandOf } from "./command.js";
import { choose, expression, state } from "./state.js";
import { tableOf } from "./table.js";
import { exact, safe } from "./text.js";
import { copyButton, heading, make, select } from "./widget.js";
import { sumText } from "./flame.js";

/**
 * @param {HTMLElement} parent
 * @param {import("./report.js").Report} report
 */
export function showFunctions(parent, report) {
	const by = /** @type {import("./tree.js").By} */ (state.by), metric = report.chosen;
	const commands = {function: ["functions"], line: ["lines"], object: ["object_hide", "all", "-functions"], thread: ["threads"]};
	parent.append(heading({function: "Functions", line: "Lines", object: "Load objects", thread: "Threads"}[by] || "Functions",
		select("by", [["function", "function"], ["line", "line"], ["object", "load object"], ["thread", "thread"]], by, (value) => choose({by: value})),
		copyButton(() => commandOf(report.data, commands[by] || ["functions"]))));
	parent.append(make("p", {class: "summary"}, sumText(metric, report.sum(metric)), sampleText(report)));
	parent.append(by === "thread" ? threads(report) : flatTable(report, by));
}

/**
 * How uncertain shares are that were sampled.
 * @param {import("./report.js").Report} report
 */
function sampleText(report) {
	const samples = report.metric("samples");
	if (!samples || report.chosen.kind !== 0) return "";
	const count = report.sum(samples);
	return count > 0 ? `  ·  ${count} samples: a share of 10 % is uncertain by ${(196 * Math.sqrt(0.09 / count)).toFixed(1)} points (95 %)` : "";
}

/**
 * @param {import("./report.js").Report} report
 * @param {import("./tree.js").By} by
 */
export function flatTable(report, by) {
	const metrics = [report.chosen, ...report.usual.filter((each) => each !== report.chosen)].filter((each) => report.sum(each) !== 0).slice(0, 8);
	const flats = metrics.map((metric) => report.flat(metric, by));
	const samples = report.metric("samples"), counts = samples && metrics[0]?.kind === 0 ? report.flat(samples, by) : null;
	const pattern = expression(state.search), rows = [];
	const size = flats.length ? flats[0].exclusive.length : 0;
	for (let key = 0; key < size; key++)
		if (flats.some((flat) => flat.inclusive[key] !== 0 || flat.exclusive[key] !== 0) && (!pattern || pattern.test(report.name(by, key)))) rows.push(key);
	/** @type {import("./table.js").Column[]} */
	const columns = [];
	metrics.forEach((metric, at) => {
		const flat = flats[at], isFirst = at === 0;
		// As in the terminal: of others, counts and bytes belong to whoever called for them.
		if (isFirst || metric.unit === "s") columns.push({key: "e." + metric.keyword, heading: "Excl. " + metric.heading, title: "Exclusive " + metric.meaning, isNumber: true, value: (key) => flat.exclusive[key], text: (key) => exact(metric.unit, flat.exclusive[key], metric.digits), bar: isFirst ? (key) => flat.exclusive[key] / (flat.whole || 1) : undefined});
		if (isFirst) columns.push({key: "e%", heading: "%", title: "Share of the total", isNumber: true, value: (key) => flat.exclusive[key], text: (key) => report.percent(metric, flat.exclusive[key], flat.whole)});
		if (isFirst && counts) columns.push({key: "ci", heading: "±", title: "Uncertainty of the exclusive share, 95 %, in points", isNumber: true, value: (key) => counts.exclusive[key], text: (key) => uncertainty(counts.exclusive[key], counts.whole)});
		columns.push({key: "i." + metric.keyword, heading: "Incl. " + metric.heading, title: "Inclusive " + metric.meaning, isNumber: true, value: (key) => flat.inclusive[key], text: (key) => exact(metric.unit, flat.inclusive[key], metric.digits), bar: isFirst ? (key) => flat.inclusive[key] / (flat.whole || 1) : undefined});
		if (isFirst) columns.push({key: "i%", heading: "%", title: "Share of the total", isNumber: true, value: (key) => flat.inclusive[key], text: (key) => report.percent(metric, flat.inclusive[key], flat.whole)});
	});
	columns.push({key: "name", heading: "Name", isNumber: false, wide: true, value: (key) => report.name(by, key), text: (key) => report.name(by, key)});
	if (by === "function") columns.push({key: "object", heading: "Load object", isNumber: false, value: (key) => objectName(report, key), text: (key) => objectName(report, key)});
	return tableOf({
		caption: by === "line" ? "Lines" : by === "object" ? "Load objects" : "Functions", columns, rows, sort: columns[0]?.key,
		open: by === "object" ? undefined : (key) => choose({page: "flame", form: "sandwich", by: "function",
			focus: by === "line" ? report.name("function", report.data.frames.function[key]) : report.name(by, key)}),
	});
}

/**
 * @param {import("./report.js").Report} report
 * @param {number} key
 */
function objectName(report, key) {
	return safe(report.data.strings[report.data.functions.object[key]]);
}

/**
 * Half of the interval of Wilson that holds a share with 95 %, in points.
 * @param {number} count
 * @param {number} of
 */
export function uncertainty(count, of) {
	if (of === 0) return "";
	const z = 1.96, p = count / of, z2 = z * z;
	return ((100 * z * Math.sqrt((p * (1 - p)) / of + z2 / (4 * of * of))) / (1 + z2 / of)).toFixed(1);
}

/**
 * Exclusive values by thread; a thread can be chosen there.
 * @param {import("./report.js").Report} report
 */
export function threads(report) {
	const {head} = report, {thread, node} = report.data.rows, matched = state.only ? report.matched() : null;
	const metrics = [report.chosen, ...report.usual.filter((each) => each !== report.chosen)].slice(0, 6);
	const sums = metrics.map((metric) => report.keep("bythread:" + metric.keyword, () => {
		const sum = new Float64Array(head.threads.length);
		report.eachValue(metric, false, (row, value) => {
			if (!matched || matched.nodes[node[row]]) sum[thread[row]] += value;
		});
		return sum;
	}));
	const rows = head.threads.map((_, at) => at).filter((at) => !head.experiments[head.threads[at].experiment].is_base &&
		(head.threads[at].number > 0 || sums.some((sum) => sum[at] > 0)));
	/** @type {import("./table.js").Column[]} */
	const columns = [{
		key: "chosen", heading: "Shown", isNumber: false, value: (at) => (!state.threads || state.threads.has(at) ? 1 : 0), text: () => "",
		node: (at) => make("input", {type: "checkbox", checked: !state.threads || state.threads.has(at), "aria-label": "Show thread " + safe(report.threadName(at)), onchange: () => toggleThread(report, at)}),
	}, {key: "name", heading: "Thread", isNumber: false, wide: true, value: (at) => head.threads[at].number, text: (at) => report.threadName(at)}];
	if (head.experiments.length > 1) columns.push({key: "process", heading: "Process", isNumber: false, value: (at) => head.threads[at].experiment, text: (at) => report.processName(head.threads[at].experiment)});
	columns.push({key: "tid", heading: "System's id", isNumber: true, value: (at) => head.threads[at].tid, text: (at) => String(head.threads[at].tid)},
		{key: "start", heading: "Start", isNumber: true, value: (at) => head.threads[at].start_ns, text: (at) => exact("s", head.threads[at].start_ns)});
	metrics.forEach((metric, i) => columns.push({key: metric.keyword, heading: metric.heading, title: metric.meaning, isNumber: true, value: (at) => sums[i][at], text: (at) => exact(metric.unit, sums[i][at], metric.digits),
		bar: i === 0 ? (at) => sums[0][at] / (report.sum(metric) || 1) : undefined}));
	return tableOf({caption: "Threads", columns, rows, sort: metrics[0].keyword, open: (at) => choose({threads: new Set([at])})});
}

/**
 * Show one more thread, or one less.
 * @param {import("./report.js").Report} report
 * @param {number} at
 */
export function toggleThread(report, at) {
	const all = report.head.threads.map((_, i) => i);
	const chosen = new Set(state.threads || all);
	if (!chosen.delete(at)) chosen.add(at);
	choose({threads: chosen.size === all.length || chosen.size === 0 ? null : chosen});
}
