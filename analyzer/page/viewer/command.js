// command.js: the command of xer_print that prints what is shown.

import { choose, state } from "./state.js";
import { moment, safe } from "./text.js";
import { button, say, select } from "./widget.js";

/**
 * An argument as a shell reads it.
 * @param {string} text
 */
export function quote(text) {
	return /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
}

/**
 * A pattern that FNAME matches as a whole.
 * @param {string} pattern
 */
function anywhere(pattern) {
	return ".*(" + pattern.replace(/\\/g, "\\\\").replace(/"/g, '\\"') + ").*";
}

/**
 * @param {import("./data.js").Data} data
 * @param {string[]} words of the command, without its dash
 * @param {string} metric keyword of that which is shown
 * @returns {string}
 */
function commandOf(data, words, metric) {
	const parts = ["xer_print"], {head} = data;
	if (state.from !== null && state.to !== null) parts.push("-time", moment(state.from) + "-" + moment(state.to));
	if (state.threads) {
		const list = [...state.threads].map((at) => head.threads[at]).filter((thread) => thread);
		const many = head.experiments.length > 1;
		/** @type {Map<number, number[]>} */
		const by = new Map();
		for (const thread of list) by.set(thread.experiment, [...(by.get(thread.experiment) || []), thread.number]);
		parts.push("-thread_select", [...by].map(([at, numbers]) =>
			(many ? head.experiments[at].id + ":" : "") + numbers.sort((a, b) => a - b).join(",")).join("+"));
	}
	const filters = [], isLive = metric.startsWith("live");
	if (isLive && state.to !== null) filters.push(`HFREE_TSTAMP >= ${moment(state.to)}s`);
	if (state.search && state.only) filters.push(`FNAME("${anywhere(state.search)}") IN STACK`);
	if (filters.length) parts.push("-filters", filters.join(" && "));
	if (isLive) parts.push("-metrics", `ei.heap${state.to === null ? "leak" : "alloc"}${metric === "livecount" ? "cnt" : "bytes"}`);
	parts.push("-" + words[0], ...words.slice(1));
	if (head.base && words[0] === "functions") parts.splice(1, 0, "-compare", "delta");
	return [...parts, ...(head.base && parts[1] === "-compare" ? [head.base] : []), ...head.origins].map(quote).join(" ");
}

/**
 * A button that copies the command.
 * @param {import("./report.js").Report} report
 * @param {string[]} words of it
 */
export function copyCommand(report, words, metric = "") {
	const command = () => commandOf(report.data, words, metric || state.metric);
	const made = button("copy as command", async () => {
		const text = command();
		try {
			await navigator.clipboard.writeText(text);
			say("Copied: " + text);
		} catch {
			say(text);
		}
		made.textContent = "copied";
		made.title = text;
		setTimeout(() => (made.textContent = "copy as command"), 1500);
	}, {class: "quiet copy", title: safe(command())});
	made.onfocus = made.onpointerenter = () => {
		made.title = safe(command());
	};
	return made;
}

/** What pictures and tables are made of. */
export function selectBy() {
	return select("by", [["function", "function"], ["line", "line"], ["object", "load object"], ["thread", "thread"]], state.by, (by) => choose({by}));
}
