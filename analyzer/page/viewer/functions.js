// functions.js: the flat tables: functions, lines, load objects and threads, with exclusive and inclusive values.

import { copyCommand, selectBy } from "./command.js";
import { choose, expression, openFunction, state } from "./state.js";
import { metricColumn, numberColumn, tableOf, wordColumn } from "./table.js";
import { exact, safe } from "./text.js";
import { heading, make } from "./widget.js";
import { sumText } from "./flame.js";

/**
 * @param {HTMLElement} parent
 * @param {import("./report.js").Report} report
 */
export function showFunctions(parent, report) {
	const by = /** @type {import("./tree.js").By} */ (state.by), metric = report.chosen;
	const commands = {function: ["functions"], line: ["lines"], object: ["object_hide", "all", "-functions"], thread: ["threads"]};
	parent.append(heading({function: "Functions", line: "Lines", object: "Load objects", thread: "Threads"}[by] || "Functions",
		selectBy(),
		copyCommand(report, commands[by] || ["functions"])));
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
		/** @param {string} way @param {string} word @param {Float64Array} values */
		const add = (way, word, values) => {
			columns.push(metricColumn(`${way}.${metric.keyword}`, `${word.slice(0, 4)}. ${metric.heading}`, metric, values, {title: `${word} ${metric.meaning}`, bar: isFirst ? (key) => values[key] / (flat.whole || 1) : undefined}));
			if (isFirst) columns.push(numberColumn(way + "%", "%", (key) => values[key], (key) => report.percent(metric, values[key], flat.whole), {title: "Share of the total"}));
		};
		// As in the terminal: of others, counts and bytes belong to whoever called for them.
		if (isFirst || metric.unit === "s") add("e", "Exclusive", flat.exclusive);
		if (isFirst && counts) columns.push(numberColumn("ci", "±", (key) => counts.exclusive[key], (key) => uncertainty(counts.exclusive[key], counts.whole), {title: "Uncertainty of the exclusive share, 95 %, in points"}));
		add("i", "Inclusive", flat.inclusive);
	});
	columns.push(wordColumn("name", "Name", (key) => report.name(by, key), {wide: true}));
	if (by === "function") columns.push(wordColumn("object", "Load object", (key) => safe(report.data.strings[report.data.functions.object[key]])));
	return tableOf({
		caption: by === "line" ? "Lines" : by === "object" ? "Load objects" : "Functions", columns, rows, sort: columns[0]?.key,
		open: by === "object" ? undefined : (key) => openFunction(by === "line" ? report.name("function", report.data.frames.function[key]) : report.name(by, key)),
	});
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
 * @param {import("./data.js").Metric[]} more that are shown, too
 */
export function threads(report, more = /** @type {import("./data.js").Metric[]} */ ([])) {
	const {head} = report, {thread, node} = report.data.rows, matched = state.only ? report.matched() : null;
	const metrics = [...new Set([report.chosen, ...report.usual.slice(0, 6), ...more])];
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
	}, wordColumn("name", "Thread", (at) => report.threadName(at), {wide: true, value: (at) => head.threads[at].number})];
	if (head.experiments.length > 1) columns.push(wordColumn("process", "Process", (at) => report.processName(head.threads[at].experiment), {value: (at) => head.threads[at].experiment}));
	columns.push(numberColumn("tid", "System's id", (at) => head.threads[at].tid), numberColumn("start", "Start", (at) => head.threads[at].start_ns, (at) => exact("s", head.threads[at].start_ns)));
	metrics.forEach((metric, i) => columns.push(metricColumn(metric.keyword, metric.heading, metric, sums[i], {title: metric.meaning, bar: i === 0 ? (at) => sums[0][at] / (report.sum(metric) || 1) : undefined})));
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
