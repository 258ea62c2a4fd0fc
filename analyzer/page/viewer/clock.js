// clock.js: the strip below the title, on every page: activity over time, and the range that is chosen.

import { canvasIn, fill, SMALL } from "./canvas.js";
import { theme } from "./palette.js";
import { choose, rangeText, state } from "./state.js";
import { duration, moment } from "./text.js";
import { find, say, tip } from "./widget.js";

const HEIGHT = 54, AXIS = 14, COUNTERS = 8;

/**
 * Round distances between marks of an axis of time.
 * @param {number} span
 * @param {number} most
 */
export function stepOf(span, most) {
	const raw = span / most, power = 10 ** Math.floor(Math.log10(Math.max(raw, 1)));
	const minutes = [60e9, 120e9, 300e9, 600e9, 900e9, 1800e9, 3600e9, 7200e9, 10800e9, 21600e9];
	if (raw > 30e9) return minutes.find((each) => each >= raw) || Math.ceil(raw / 21600e9) * 21600e9;
	return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw) || 10 * power;
}

/**
 * A time on an axis.
 * @param {number} ns
 */
export function tickText(ns, step = 1e9) {
	if (step >= 60e9) {
		const minutes = Math.round(ns / 60e9);
		return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")} h`;
	}
	if (step < 1e6) return (ns / 1e6).toFixed(step < 1e5 ? 2 : 1) + " ms";
	return (ns / 1e9).toFixed(step >= 1e9 ? 0 : step >= 1e8 ? 1 : step >= 1e7 ? 2 : 3) + " s";
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} left
 * @param {number} width
 * @param {number} y of the text
 * @param {number} bottom where the lines end
 * @param {number} from
 * @param {number} to
 */
export function drawAxis(context, left, width, y, bottom, from, to) {
	const colors = theme(), step = stepOf(to - from, Math.max(2, width / 90));
	context.font = SMALL;
	context.textBaseline = "top";
	for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
		const x = left + ((at - from) / (to - from)) * width;
		fill(context, colors.line, Math.round(x), 0, 1, bottom);
		const text = tickText(at, step), wide = context.measureText(text).width;
		if (x + 4 + wide > left + width) continue;
		context.fillStyle = colors.soft;
		context.fillText(text, x + 3, y);
	}
}

/**
 * What a strip of activity shows: of CPU time if there are samples, else of the metric that is chosen.
 * @param {import("./report.js").Report} report
 */
export function activityMetric(report) {
	const cpu = report.metric("totalcpu");
	return cpu && report.hasValues(cpu) ? cpu : report.chosen;
}

/**
 * Let the pointer choose a part of a canvas from left to right. A second finger, or the system, takes that back.
 * @param {HTMLCanvasElement} canvas
 * @param {(x: number) => number} timeAt
 * @param {(from: number|null, to: number|null, isDone: boolean) => void} take
 * @param {(event: PointerEvent) => void} click
 */
export function brush(canvas, timeAt, take, click) {
	let start = -1, before = [state.from, state.to];
	const cancel = () => {
		if (start >= 0) take(before[0], before[1], true);
		start = -1;
	};
	const move = (/** @type {PointerEvent} */ {offsetX}, isDone = false) => take(timeAt(Math.min(start, offsetX)), timeAt(Math.max(start, offsetX)), isDone);
	canvas.addEventListener("pointerdown", (event) => {
		if (event.button !== 0) return;
		cancel();
		if (!event.isPrimary) return;
		start = event.offsetX;
		before = [state.from, state.to];
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointermove", (event) => {
		if (start >= 0 && Math.abs(event.offsetX - start) >= 3) move(event);
	});
	canvas.addEventListener("pointerup", (event) => {
		if (start < 0) return;
		if (Math.abs(event.offsetX - start) < 3) click(event);
		else move(event, true);
		start = -1;
	});
	canvas.addEventListener("pointercancel", cancel);
}

/** @param {import("./report.js").Report} report */
export function makeStrip(report) {
	const parent = find("strip"), span = Math.max(1, report.head.duration_ns);
	let width = 1;
	const timeAt = (/** @type {number} */ x) => (Math.max(0, Math.min(width, x)) / width) * span;
	/** @type {Float64Array|null} */
	let activity = null;
	let steps = 0;
	const made = canvasIn(parent, HEIGHT, (context, wide) => {
		width = wide;
		const metric = activityMetric(report), wanted = Math.max(50, Math.floor(wide / 2));
		if (!activity || steps !== wanted) {
			steps = wanted;
			activity = report.aggregator.overview(metric, 0, span, steps);
		}
		drawStrip(context, report, activity, wide, span);
	}, {
		tabindex: "0", role: "slider", "aria-label": "Range of time that all pages show", "aria-valuemin": "0",
		"aria-valuemax": String(span / 1e9), "aria-valuenow": "0", "aria-valuetext": "all",
		"aria-description": "Arrow keys move the range, with Shift its end, plus and minus zoom, Escape chooses all.",
	});
	brush(made.canvas, timeAt, (from, to, isDone) => {
		setRange(report, from, to, isDone);
		made.redraw();
	}, () => setRange(report, null, null));
	made.canvas.addEventListener("pointermove", (event) => tip(event.clientX, event.clientY, duration(timeAt(event.offsetX))));
	made.canvas.addEventListener("pointerleave", () => tip(0, 0));
	made.canvas.addEventListener("keydown", (event) => rangeKey(report, event));
	const update = () => {
		made.canvas.setAttribute("aria-valuetext", rangeText() || "all");
		made.canvas.setAttribute("aria-valuenow", String((state.from || 0) / 1e9));
		made.redraw();
	};
	update();
	return {update, redraw: made.redraw};
}

/**
 * Choose a range of time; it is widened to units of the data.
 * @param {import("./report.js").Report} report
 * @param {number|null} from
 * @param {number|null} to
 */
export function setRange(report, from, to, isDone = true) {
	if (from === null || to === null) {
		choose({from: null, to: null});
		if (isDone) say("All of the time is shown");
		return;
	}
	const [low, high] = report.aggregator.snap(Math.max(0, from), Math.min(to, report.head.duration_ns));
	choose({from: low, to: high});
	if (isDone) say(`Time ${moment(low)} to ${moment(high)} seconds`);
}

/**
 * @param {import("./report.js").Report} report
 * @param {KeyboardEvent} event
 */
export function rangeKey(report, event) {
	const whole = report.head.duration_ns, from = state.from ?? 0, to = state.to ?? whole, wide = to - from;
	const move = Math.max(report.aggregator.unit, wide / 10) * (event.key === "ArrowLeft" ? -1 : 1);
	if (event.key === "Escape") setRange(report, null, null);
	else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
		if (event.shiftKey) setRange(report, from, Math.max(from + report.aggregator.unit, to + move));
		else if (state.from !== null) setRange(report, Math.max(0, from + move), Math.min(whole, Math.max(0, from + move) + wide));
	} else if (event.key === "+" || event.key === "=") setRange(report, from + wide / 4, to - wide / 4);
	else if (event.key === "-") setRange(report, Math.max(0, from - wide / 2), Math.min(whole, to + wide / 2));
	else return;
	event.preventDefault();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import("./report.js").Report} report
 * @param {Float64Array} activity
 * @param {number} width
 * @param {number} span
 */
function drawStrip(context, report, activity, width, span) {
	const colors = theme(), high = HEIGHT - AXIS, most = activity.reduce((a, b) => Math.max(a, b), 0) || 1;
	drawAxis(context, 0, width, high + 1, high, 0, span);
	context.fillStyle = colors.cpu;
	const wide = width / activity.length;
	for (let i = 0; i < activity.length; i++) {
		const tall = (activity[i] / most) * (high - 4);
		if (tall > 0) context.fillRect(i * wide, high - tall, wide + 0.3, tall);
	}
	drawCurve(context, liveBytes(report, 0, span, Math.max(2, Math.floor(width))), 0, width, high - 2, high - 6, colors.heap);
	if (state.from === null || state.to === null) return;
	const x = (state.from / span) * width, end = (Math.min(state.to, span) / span) * width;
	context.fillStyle = colors.back;
	context.globalAlpha = 0.7;
	context.fillRect(0, 0, x, high);
	context.fillRect(end, 0, width - end, high);
	context.globalAlpha = 1;
	context.strokeStyle = colors.accent;
	context.lineWidth = 2;
	context.strokeRect(x + 1, 1, Math.max(2, end - x - 2), high - 2);
}

/**
 * A curve; returns its largest value.
 * @param {CanvasRenderingContext2D} context
 * @param {Float64Array} values
 * @param {number} left
 * @param {number} width
 * @param {number} bottom
 * @param {number} tall
 * @param {string} color
 */
export function drawCurve(context, values, left, width, bottom, tall, color) {
	const most = values.reduce((a, b) => Math.max(a, b), 0);
	if (most === 0) return 0;
	context.strokeStyle = color;
	context.lineWidth = 1.5;
	context.beginPath();
	values.forEach((value, i) => context.lineTo(left + (i / values.length) * width, bottom - (value / most) * tall));
	context.stroke();
	return most;
}

/**
 * Live bytes of the heap, summed up over processes.
 * @param {import("./report.js").Report} report
 * @param {number} from
 * @param {number} to
 * @param {number} steps
 */
export function liveBytes({head}, from, to, steps) {
	const sums = new Float64Array(steps);
	for (const curve of head.curves) {
		const {is_base, start_ns, duration_ns} = head.experiments[curve.experiment];
		for (let i = 0; i < steps && !is_base; i++) {
			const time = from + ((i + 0.5) / steps) * (to - from), at = Math.floor(time / curve.width_ns);
			if (at >= 0 && at * curve.width_ns <= start_ns + duration_ns) sums[i] += curve.values[Math.min(at, curve.values.length - 1)] || 0;
		}
	}
	return sums;
}

/**
 * Resident sets as far as usage samples tell of them: the largest so far, summed up over processes that lived for more than two.
 * @param {import("./report.js").Report} report
 * @param {number} from
 * @param {number} to
 * @param {number} steps
 */
function residentBytes({head, data: {usage}}, from, to, steps) {
	const sums = new Float64Array(steps);
	let first = 0;
	for (const {is_base, usages, start_ns, duration_ns} of head.experiments) {
		for (let i = 0, at = first; i < steps && !is_base && usages > 2; i++) {
			const time = from + ((i + 1) / steps) * (to - from);
			while (at < first + usages - 1 && usage.time[at + 1] <= time) at++;
			if (time >= start_ns && time <= start_ns + duration_ns + (to - from) / steps) sums[i] += usage.resident[at] * 1024;
		}
		first += usages;
	}
	return sums;
}

/** @typedef {{title: string, unit: string, color: "heap"|"wait"|"cpu", isRate?: boolean, at: (from: number, to: number, steps: number) => Float64Array}} Curve */

/**
 * What is drawn above the lanes of the timeline.
 * @param {import("./report.js").Report} report
 * @returns {Curve[]}
 */
export function curvesOf(report) {
	const {head} = report;
	/** @type {Curve[]} */
	const list = [];
	if (head.curves.length) list.push({title: "Heap", unit: "bytes", color: "heap", at: (from, to, steps) => liveBytes(report, from, to, steps)});
	if (head.experiments.some(({usages}) => usages > 2)) list.push({title: "Resident, peak so far", unit: "bytes", color: "wait", at: (from, to, steps) => residentBytes(report, from, to, steps)});
	for (const metric of head.metrics.filter((each) => each.kind === COUNTERS && report.hasValues(each)))
		list.push({title: metric.meaning, unit: metric.unit, color: "cpu", isRate: true, at: (from, to, steps) => report.aggregator.overview(metric, from, to, steps).map((sum) => (sum * steps * 1e9) / (to - from))});
	return list;
}
