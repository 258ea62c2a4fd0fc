// states.js: what threads did over time: they ran, or waited, and for what. Recordings of wall-clock time (-w on) tell.

import { fill } from "./canvas.js";
import { theme } from "./palette.js";

/** @typedef {{title: string, metrics: import("./data.js").Metric[], color: string}} ThreadState */

/**
 * States, in colours that no kind of colour blindness makes alike: of Okabe and Ito, and two greys. Running has the theme's colour.
 * @type {[string, string, string][]} title, metrics, colour
 */
const STATES = [["running", "totalcpu", ""], ["ready, without a CPU", "wait", "#d55e00"], ["lock or condition", "lock cond", "#e69f00"],
	["thread or child", "join child", "#cc79a7"], ["sleep", "sleep", "#b4bbc6"], ["poll", "poll", "#56b4e9"], ["file, pipe, socket, terminal", "iowait", "#009e73"],
	["page fault", "datapfault", "#f0e442"], ["signal, stop, other", "signal stop other", "#6b7280"]];

/**
 * The states that have any time; none if the recording does not tell, or not of single threads.
 * @param {import("./report.js").Report} report
 * @returns {ThreadState[]}
 */
export function statesOf(report) {
	const kind = report.metric("blocked")?.kind ?? 0;
	if (!kind || (report.head.merged >> kind) & 1) return [];
	return STATES.map(([title, keywords, color]) => ({title, color: color || theme().cpu,
		metrics: keywords.split(" ").flatMap((keyword) => report.metric(keyword) || []).filter((metric) => report.hasValues(metric))})).filter(({metrics}) => metrics.length);
}

/**
 * The state with most of each step, its number + 1; 0: nothing is known.
 * @param {import("./report.js").Report} report
 * @param {ThreadState[]} states
 * @param {number} from
 * @param {number} to
 * @param {number} steps
 * @param {(thread: number) => number} laneOf
 * @param {number} lanes
 */
export function statesOver(report, states, from, to, steps, laneOf, lanes) {
	const which = new Uint8Array(lanes * steps), most = new Float64Array(lanes * steps);
	states.forEach(({metrics}, at) => {
		const sums = metrics.map((metric) => report.aggregator.overview(metric, from, to, steps, laneOf, lanes));
		for (let i = 0; i < most.length; i++) {
			const sum = sums.reduce((all, each) => all + each[i], 0);
			if (sum > most[i]) {
				most[i] = sum;
				which[i] = at + 1;
			}
		}
	});
	return which;
}

/**
 * What a thread mostly did.
 * @param {import("./report.js").Report} report
 * @param {number} thread
 * @param {number} from
 * @param {number} to
 */
export function stateText(report, thread, from, to) {
	const states = statesOf(report), [which] = statesOver(report, states, from, to, 1, (each) => (each === thread ? 0 : -1), 1);
	return which ? states[which - 1].title : "";
}

/**
 * Waits as colours; running is drawn as a share of a CPU.
 * @param {CanvasRenderingContext2D} context
 * @param {ThreadState[]} states
 * @param {Uint8Array} which
 * @param {number} left
 * @param {number} y
 * @param {number} tall
 */
export function drawStates(context, states, which, left, y, tall) {
	for (let i = 0, end = 0; i < which.length; i = end) {
		while (end < which.length && which[end] === which[i]) end++;
		const state = states[which[i] - 1];
		if (!state || state.metrics[0].keyword === "totalcpu") continue;
		fill(context, state.color, left + i, y, end - i, tall);
	}
}
