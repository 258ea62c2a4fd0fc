// difference.js: what changed since the experiment that -base names.

import { copyCommand } from "./command.js";
import { Flame, sumText } from "./flame.js";
import { boxIn, pick } from "./sandwich.js";
import { openFunction, state } from "./state.js";
import { metricColumn, numberColumn, tableOf, wordColumn } from "./table.js";
import { safe, valueText } from "./text.js";
import { heading, make } from "./widget.js";

/**
 * @param {HTMLElement} parent
 * @param {import("./report.js").Report} report
 */
export function showDifference(parent, report) {
	const metric = report.chosen, now = report.sum(metric), before = report.sum(metric, true);
	const {tree, own} = report.tree(metric, "function", state.fold), base = report.tree(metric, "function", state.fold, true).own;
	parent.append(heading("Difference", copyCommand(report, ["functions"])),
		make("p", {class: "summary"}, sumText(metric, now), `  ·  before: ${valueText(metric, before)}  ·  change: ${changeText(metric, now - before)} (${before ? (now > before ? "+" : "") + report.percent(metric, now - before, before) + " %" : "new"})`),
		make("p", {class: "soft"}, `before is ${safe(report.head.base || "")}`));
	new Flame(boxIn(parent, "picture"), {tree, own, base, metric, report, isUp: state.form === "flame", whole: Math.max(now, before), rootName: "<Total>",
		label: `Difference of call stacks by ${metric.meaning}`, pick: (key) => pick(report, "function", key)});
	parent.append(make("p", {class: "legend"}, "orange: more than before · blue: less · the width is the greater of the two"));
	parent.append(changes(report));
}

/**
 * @param {import("./data.js").Metric} metric
 * @param {number} value
 */
export function changeText(metric, value) {
	return (value > 0 ? "+" : "") + valueText(metric, value);
}

/**
 * How many standard deviations a change of sampled values is away from none: samples are counts, so their variance is their
 * number. Values that are not sampled are exact.
 * @param {number} now
 * @param {number} before
 */
export function deviations(now, before) {
	return now + before === 0 ? 0 : Math.abs(now - before) / Math.sqrt(now + before);
}

/**
 * How many standard deviations no row of so many has by chance, in 99 of 100 tables: the tail of the normal distribution beyond z,
 * on both sides, is less than exp(-z * z / 2).
 * @param {number} rows
 */
export function leastDeviations(rows) {
	return Math.sqrt(2 * Math.log(Math.max(rows, 1) / 0.01));
}

/** @param {import("./report.js").Report} report */
function changes(report) {
	const metric = report.chosen, now = report.flat(metric, "function"), before = report.flat(metric, "function", true);
	const samples = report.metric("samples"), isSampled = metric.kind === 0 && samples;
	const counts = isSampled ? [report.flat(samples, "function"), report.flat(samples, "function", true)] : null;
	/** @param {number} key */
	const sigma = (key) => (counts ? deviations(counts[0].exclusive[key], counts[1].exclusive[key]) : Infinity);
	const differ = [], least = counts ? leastDeviations(now.exclusive.length) : 0;
	for (let key = 0; key < now.exclusive.length; key++) if (now.exclusive[key] !== before.exclusive[key]) differ.push(key);
	const rows = differ.filter((key) => sigma(key) >= least);
	/** @param {number} key */
	const change = (key) => now.exclusive[key] - before.exclusive[key];
	const box = make("section", {}, make("h3", {}, counts ? "Changes that samples do not explain" : "Changes"));
	if (counts) box.append(make("p", {class: "soft"}, `${rows.length} of ${differ.length} functions: ${least.toFixed(1)} standard deviations or more, which chance makes in less than one of a hundred such tables. How much runs differ is not in this: xcollect --repeat and xer_print -changes tell.`));
	box.append(tableOf({
		caption: "Changes by function", rows, sort: "change", open: (key) => openFunction(report.name("function", key)),
		columns: [
			numberColumn("change", "Change", (key) => Math.abs(change(key)), (key) => changeText(metric, change(key)), {title: "Exclusive " + metric.meaning}),
			metricColumn("now", "Now", metric, now.exclusive), metricColumn("before", "Before", metric, before.exclusive),
			numberColumn("sigma", "Std. dev.", sigma, (key) => (counts ? sigma(key).toFixed(1) : "exact"), {title: "How many standard deviations of the samples the change is"}),
			numberColumn("inclusive", "Incl. change", (key) => now.inclusive[key] - before.inclusive[key], (key) => changeText(metric, now.inclusive[key] - before.inclusive[key])),
			wordColumn("name", "Name", (key) => report.name("function", key), {wide: true}),
		],
	}));
	return box;
}
