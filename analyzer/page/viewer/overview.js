// overview.js: the first page: what was recorded, how much of everything, what stands out, what is missing.

import { copyCommand } from "./command.js";
import { documentOf } from "./documents.js";
import { choose, openFunction, rangeText, state } from "./state.js";
import { numberColumn, tableOf, wordColumn } from "./table.js";
import { brief, duration, exact, safe, valueText } from "./text.js";
import { heading, make, nameOf } from "./widget.js";

/**
 * @param {HTMLElement} parent
 * @param {import("./report.js").Report} report
 */
export function showOverview(parent, report) {
	const {head} = report, first = head.experiments.find((each) => !each.is_base) || head.experiments[0];
	parent.append(
		heading("Overview", copyCommand(report, ["overview"])),
		make("p", {class: "command"}, make("code", {}, nameOf(first ? first.command : ""))),
		figures(report), quality(report), tops(report));
	if (head.experiments.length > 1) parent.append(processes(report));
	const rest = make("div", {class: "columns"});
	parent.append(rest);
	for (const name of ["header", "statistics", "objects"])
		for (const shown of report.data.documents.filter((each) => each.command === name && each.group === "overview"))
			(name === "objects" ? parent : rest).append(documentOf(report, shown, "Overview"));
}

/**
 * @param {string} label
 * @param {string} value
 * @param {string} more
 */
function figure(label, value, more = "", run = /** @type {(() => void)|null} */ (null)) {
	const box = make(run ? "button" : "div", {class: "figure"}, make("span", {class: "value"}, value), make("span", {class: "label"}, label), make("span", {class: "soft"}, more));
	if (run) {
		/** @type {HTMLButtonElement} */ (box).type = "button";
		box.onclick = run;
	}
	return box;
}

/** @param {import("./report.js").Report} report */
function figures(report) {
	const {head} = report, span = state.from !== null && state.to !== null ? state.to - state.from : head.duration_ns;
	const box = make("div", {class: "figures"}, figure("Wall time", duration(span), rangeText() || "all of it"));
	for (const metric of head.metrics) {
		const isAlone = !head.metrics.some((each) => each.kind === metric.kind && each.usual);
		if (!metric.usual && !isAlone && !["user", "system", "heappeakbytes"].includes(metric.keyword)) continue;
		const sum = report.sum(metric);
		if (sum === 0) continue;
		const share = metric.keyword === "totalcpu" && span > 0 ? `${(sum / span).toFixed(2)} CPUs on average` : metric.unit === "s" ? exact("s", sum) + " s" : metric.unit === "bytes" ? exact("bytes", sum) : "";
		box.append(figure(metric.meaning, brief(metric.unit, sum), share, () => choose({page: "flame", metric: metric.keyword, form: "icicle"})));
	}
	const count = head.experiments.filter((each) => !each.is_base).length;
	if (count > 1) box.append(figure("Processes", String(count)));
	const threads = head.threads.filter((each) => each.number > 0 && !head.experiments[each.experiment].is_base).length;
	box.append(figure("Threads", String(threads), "", () => choose({page: "timeline"})));
	return box;
}

/**
 * What is known about the quality of the data, and what is missing.
 * @param {import("./report.js").Report} report
 */
function quality(report) {
	const {documents} = report.data, lines = [...new Set([...documents[0].notes || [], ...documents.find((each) => each.command === "overview")?.document.notes || []])];
	if (report.head.is_cut) lines.push("There were too many different stacks: some events are missing on this page.");
	const unit = report.aggregator.unit;
	if (unit > 1e6) lines.push(`Events are counted in steps of up to ${duration(unit)}; ranges of time begin and end at their multiples.`);
	const merged = report.head.kinds.filter((kind) => (report.head.merged >> kind.number) & 1).map((kind) => kind.chosen);
	if (merged.length) lines.push(`There are too many to tell threads apart: ${merged.join(", ")}. They are in no chosen thread.`);
	if (report.head.rounding_ns) lines.push(`CPU times of ranges are rounded: each stack's by less than ${duration(report.head.rounding_ns)}. Sums of the whole are exact.`);
	if (report.head.marks.all > report.head.marks.kept)
		lines.push(`Of ${report.head.marks.all} waits and calls, the ${report.head.marks.kept} longest stand in the timeline; all are in the sums.`);
	return make("section", {class: "quality"}, make("h3", {}, "Quality of the data"), make("ul", {class: "notes"}, ...lines.map((line) => make("li", {}, safe(line)))));
}

/**
 * The functions with most of each metric.
 * @param {import("./report.js").Report} report
 */
function tops(report) {
	const box = make("div", {class: "columns"});
	for (const metric of report.usual) {
		if (report.sum(metric) === 0) continue;
		const top = report.top(metric);
		if (top.length) box.append(make("section", {}, make("h3", {}, metric.meaning + " by function"), topList(report, metric, top)));
	}
	return box;
}

/**
 * @param {import("./report.js").Report} report
 * @param {import("./data.js").Metric} metric
 * @param {[string, number][]} top
 */
function topList(report, metric, top) {
	const whole = report.sum(metric);
	return make("ul", {class: "top"}, ...top.map(([name, value]) => {
		const line = make("button", {type: "button", class: "bar", onclick: () => {
			choose({metric: metric.keyword});
			openFunction(name);
		}}, make("span", {class: "number"}, valueText(metric, value)), make("span", {class: "number soft"}, report.percent(metric, value, whole) + " %"), nameOf(name));
		line.style.setProperty("--share", ((100 * value) / whole).toFixed(1) + "%");
		return make("li", {}, line);
	}));
}

/** @param {import("./report.js").Report} report */
function processes(report) {
	const rows = report.head.experiments.map((experiment, at) => ({experiment, at})).filter(({experiment}) => !experiment.is_base);
	return make("section", {}, heading("Processes", copyCommand(report, ["exp_list"])), tableOf({
		caption: "Processes", rows, sort: "start", descending: false, page: 12,
		open: ({at}) => choose({page: "timeline", threads: new Set(report.head.threads.map((_, i) => i).filter((i) => report.head.threads[i].experiment === at))}),
		columns: [
			numberColumn("id", "Experiment", ({experiment}) => experiment.id), numberColumn("pid", "PID", ({experiment}) => experiment.pid),
			...[["start", "Start"], ["duration", "Duration"], ["cpu", "CPU"]].map(([key, title]) => numberColumn(key, title, ({experiment}) => experiment[key + "_ns"], ({experiment}) => exact("s", experiment[key + "_ns"]))),
			wordColumn("status", "End", ({experiment}) => experiment.status), wordColumn("command", "Command", ({experiment}) => experiment.command, {wide: true}),
		],
	}));
}
