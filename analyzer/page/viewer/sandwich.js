// sandwich.js: the page of pictures of call stacks: icicles, flames, and a function between its callers and callees.

import { copyCommand, selectBy } from "./command.js";
import { Flame, sumText } from "./flame.js";
import { frameColor, isDark, ORIGINS } from "./palette.js";
import { choose, state } from "./state.js";
import { safe, valueText } from "./text.js";
import { around } from "./tree.js";
import { button, heading, make, patch, select } from "./widget.js";

/** @param {import("./report.js").Report} report */
export function pictureTools(report) {
	return [
		select("form", [["icicle", "icicle (outermost on top)"], ["flame", "flame graph"], ["sandwich", "callers and callees"]], state.form, (form) => choose({form})),
		selectBy(),
		make("label", {class: "field"}, make("input", {type: "checkbox", checked: state.fold, onchange: () => choose({fold: !state.fold})}), make("span", {}, "fold recursion")),
		copyCommand(report, state.form === "sandwich" && state.focus ? ["csingle", state.focus] : ["calltree"]),
	];
}

/**
 * @param {HTMLElement} parent
 * @param {import("./report.js").Report} report
 */
export function showFlame(parent, report) {
	const metric = report.chosen, by = /** @type {import("./tree.js").By} */ (state.by), sum = report.sum(metric);
	parent.append(heading(state.form === "sandwich" ? "Callers and callees" : "Call stacks", ...pictureTools(report)), summary(report, sum));
	if (sum === 0) {
		parent.append(make("p", {class: "none"}, `There is no ${metric.meaning} in what is chosen.`));
		return;
	}
	const {tree, own} = report.tree(metric, by, state.fold);
	if (state.form !== shownForm && state.form === "flame") showFoot();
	shownForm = state.form;
	if (state.form === "sandwich") showSandwich(parent, report, tree, own, sum);
	else {
		new Flame(boxIn(parent, "picture"), {
			tree, own, metric, report, isUp: state.form === "flame", whole: sum, rootName: "<Total>",
			label: `Call stacks by ${metric.meaning}`, pick: (key) => pick(report, by, key),
		});
		parent.append(legend());
	}
}

/** The form that was shown last. */
let shownForm = "";

/** Flames begin at their foot. */
function showFoot() {
	requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => {
		const picture = document.querySelector(".flame .picture");
		if (picture && picture.getBoundingClientRect().bottom > window.innerHeight) picture.scrollIntoView({block: "end"});
	})));
}

/**
 * @param {HTMLElement} parent
 * @param {string} name
 */
export function boxIn(parent, name) {
	const box = make("div", {class: name});
	parent.append(box);
	return box;
}

/**
 * @param {import("./report.js").Report} report
 * @param {number} sum
 */
function summary(report, sum) {
	const metric = report.chosen, matched = report.matched(), line = make("p", {class: "summary"}, sumText(metric, sum));
	if (matched) {
		const values = report.values(metric);
		let of = 0;
		for (let i = 0; i < values.length; i++) if (matched.nodes[i]) of += values[i];
		line.append("  ·  ", make("span", {class: "matched"}, `found: ${valueText(metric, of)} (${report.percent(metric, of, sum)} %)`));
	}
	return line;
}

/**
 * @param {import("./report.js").Report} report
 * @param {import("./tree.js").By} by
 * @param {number} key
 */
export function pick(report, by, key) {
	const name = by === "line" ? report.name("function", report.data.frames.function[key]) : report.name(by, key);
	choose({form: "sandwich", focus: name, page: "flame", by: by === "line" || by === "thread" ? "function" : by});
}

/**
 * @param {HTMLElement} parent
 * @param {import("./report.js").Report} report
 * @param {import("./tree.js").Tree} tree
 * @param {Float64Array} own
 * @param {number} whole
 */
function showSandwich(parent, report, tree, own, whole) {
	const metric = report.chosen, by = tree.by, keys = keysOf(tree, own);
	const key = keys.find((each) => !state.focus || report.name(by, each) === state.focus) ?? -1;
	const box = make("input", {type: "search", value: key >= 0 ? report.name(by, key) : state.focus, "aria-label": "Function", spellcheck: false, size: 50});
	box.setAttribute("list", "names");
	box.onchange = () => choose({focus: box.value});
	const list = make("datalist", {id: "names"}, ...keys.slice(0, 200).map((each) => make("option", {value: report.name(by, each)})));
	parent.append(make("p", {class: "focus"}, make("span", {}, "of "), box, list));
	if (key < 0) {
		parent.append(make("p", {class: "none"}, "No function has this name."));
		return;
	}
	const {above, below} = around(tree, own, key);
	const name = safe(report.name(by, key)), share = below.tree.totals(below.own)[0];
	const options = {metric, report, whole, pick: (/** @type {number} */ at) => pick(report, by, at)};
	parent.append(make("h3", {}, "Callers"));
	new Flame(boxIn(parent, "picture"), {...options, tree: above.tree, own: above.own, isUp: true, label: `Callers of ${name}`});
	parent.append(make("h3", {}, `${name}: ${valueText(metric, share)} (${report.percent(metric, share, whole)} %)`));
	new Flame(boxIn(parent, "picture"), {...options, tree: below.tree, own: below.own, isUp: false, label: `What ${name} calls`});
	parent.append(legend(), button("show its source and instructions", () => choose({page: "code"}), {class: "quiet"}));
}

/**
 * Keys with their values, those with most first.
 * @param {import("./tree.js").Tree} tree
 * @param {Float64Array} own
 */
function keysOf(tree, own) {
	/** @type {Map<number, number>} */
	const sums = new Map();
	for (let i = 1; i < tree.count; i++) sums.set(tree.key[i], (sums.get(tree.key[i]) || 0) + own[i]);
	return [...sums].sort((a, b) => b[1] - a[1]).map(([key]) => key);
}

/** What the colours mean. */
export function legend() {
	const dark = isDark();
	return make("p", {class: "legend"}, ...ORIGINS.map((name, origin) => patch(frameColor(origin, 0, dark), name)), make("span", {class: "soft"}, "click: enlarge · Shift+click or double click: callers and callees"));
}
