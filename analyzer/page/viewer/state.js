// state.js: what the reader has chosen: page, metric, range of time, threads, search. It stands in the address too, so that a
// link or a reload shows the same.

import { moment } from "./text.js";

/**
 * @typedef {{page: string, metric: string, from: number|null, to: number|null, threads: Set<number>|null,
 *   search: string, only: boolean, by: string, form: string, fold: boolean, focus: string}} State
 */

/** @type {State} */
export const state = {
	page: "overview", metric: "", from: null, to: null, threads: null, search: "", only: false, by: "function", form: "icicle",
	fold: false, focus: "",
};

/** @type {((changed: Set<keyof State>) => void)[]} */
const listeners = [];

/** @param {(changed: Set<keyof State>) => void} listener */
export function onChange(listener) {
	listeners.push(listener);
}

/**
 * Change some of the choices, and tell all that depends on them.
 * @param {Partial<State>} changes
 */
export function choose(changes) {
	const changed = /** @type {Set<keyof State>} */ (new Set());
	for (const key of /** @type {(keyof State)[]} */ (Object.keys(changes)))
		if (state[key] !== changes[key]) {
			/** @type {any} */ (state)[key] = changes[key];
			changed.add(key);
		}
	if (changed.size === 0) return;
	writeAddress();
	for (const listener of listeners) listener(changed);
}

/** The chosen time; empty: all of it. */
export function rangeText() {
	return state.from === null || state.to === null ? "" : `${moment(state.from)} to ${moment(state.to)} s`;
}

/** Show a function between its callers and callees. @param {string} focus */
export function openFunction(focus) {
	choose({page: "flame", form: "sandwich", focus, by: "function"});
}

function writeAddress() {
	const words = new URLSearchParams();
	if (state.metric) words.set("metric", state.metric);
	if (state.from !== null && state.to !== null) words.set("time", state.from + "-" + state.to);
	if (state.threads) words.set("threads", [...state.threads].join(","));
	if (state.search) words.set("search", state.search);
	if (state.only) words.set("only", "1");
	if (state.by !== "function") words.set("by", state.by);
	if (state.form !== "icicle") words.set("form", state.form);
	if (state.fold) words.set("fold", "1");
	if (state.focus) words.set("focus", state.focus);
	try {
		history.replaceState(null, "", "#" + state.page + (words.size ? "?" + words : ""));
	} catch {
		// A browser may refuse that for files; then the address stays as it is.
	}
}

/** Take the choices from the address. */
export function readAddress() {
	const [page, rest] = location.hash.slice(1).split("?");
	const words = new URLSearchParams(rest || "");
	const time = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(words.get("time") || "");
	const threads = words.get("threads");
	if (page) state.page = page;
	state.metric = words.get("metric") || "";
	state.from = time ? Number(time[1]) : null;
	state.to = time ? Number(time[2]) : null;
	state.threads = threads && /^[\d,]+$/.test(threads) ? new Set(threads.split(",").map(Number)) : null;
	state.search = words.get("search") || "";
	state.only = words.has("only");
	state.by = words.get("by") || "function";
	state.form = words.get("form") || "icicle";
	state.fold = words.has("fold");
	state.focus = words.get("focus") || "";
}

/**
 * A text as a regular expression; null: it is empty, or no expression.
 * @param {string} text
 * @returns {RegExp|null}
 */
export function expression(text) {
	if (!text) return null;
	try {
		return new RegExp(text, "u");
	} catch {
		return null;
	}
}
