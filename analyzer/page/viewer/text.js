// text.js: how values and names are written: as xer_print writes them.

/** Characters that change the direction of text or cannot be seen are shown by their numbers. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\ufff9-\ufffd]/g;

/**
 * A name from an experiment, harmless to show.
 * @param {string} text
 * @returns {string}
 */
export function safe(text) {
	return text.replace(UNSEEN, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

/**
 * Shorten a long text in its middle.
 * @param {string} text
 * @param {number} most
 */
export function shorten(text, most) {
	if (text.length <= most) return text;
	const head = Math.ceil((most - 1) * 0.6);
	return text.slice(0, head) + "…" + text.slice(text.length - (most - 1 - head));
}

/**
 * Nanoseconds as seconds with so many digits, half a step up.
 * @param {number} ns
 */
export function seconds(ns, digits = 3) {
	const parts = 10 ** digits, step = 1e9 / parts, steps = Math.floor(ns / step) + (ns % step >= step / 2 && step > 1 ? 1 : 0);
	return digits === 0 ? String(steps) : Math.floor(steps / parts) + "." + String(steps % parts).padStart(digits, "0");
}

/**
 * A measured value as the tables of xer_print have it: times with as many digits as their metric deserves, thousands apart.
 * @param {string} unit "s" (the value is ns), "bytes", "count"
 * @param {number} value
 */
export function exact(unit, value, digits = 3) {
	return unit === "s" ? (value < 0 ? "-" + seconds(-value, digits) : seconds(value, digits)) : group(value);
}

/**
 * The same, as a metric has it.
 * @param {{unit: string, digits: number}} metric
 * @param {number} value
 */
export function valueText(metric, value) {
	return exact(metric.unit, value, metric.digits);
}

/**
 * The share of a value in a total.
 * @param {number} value
 * @param {number} total
 */
export function percent(value, total, digits = 2) {
	return (total ? (100 * value) / total : 0).toFixed(digits);
}

/** @type {[number, string][]} */
const BYTES = [[1073741824, "GiB"], [1048576, "MiB"], [1024, "KiB"]];

/**
 * A measured value for people: few digits, with its unit.
 * @param {string} unit
 * @param {number} value
 */
export function brief(unit, value) {
	if (unit === "s") return duration(value);
	if (unit === "bytes") {
		for (const [size, name] of BYTES) if (Math.abs(value) >= size) return trim(value / size) + " " + name;
		return value + " B";
	}
	return group(value);
}

/** @param {number} value */
function trim(value) {
	return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/**
 * A number with thin spaces between thousands, if it has five digits or more.
 * @param {number} value
 */
export function group(value) {
	return Math.abs(value) < 10000 || !Number.isInteger(value) ? String(value) : String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
}

/**
 * A length of time for people.
 * @param {number} ns
 */
export function duration(ns) {
	const size = Math.abs(ns);
	if (size >= 3600e9) return Math.floor(ns / 3600e9) + " h " + Math.round((ns % 3600e9) / 60e9) + " min";
	if (size >= 60e9) return Math.floor(ns / 60e9) + " min " + ((ns % 60e9) / 1e9).toFixed(1) + " s";
	if (size >= 1e9) return trim(ns / 1e9) + " s";
	if (size >= 1e6) return trim(ns / 1e6) + " ms";
	if (size >= 1e3) return trim(ns / 1e3) + " µs";
	return Math.round(ns) + " ns";
}

/**
 * A time for the command `time`: seconds with as few digits as it needs.
 * @param {number} ns
 */
export function moment(ns) {
	const whole = Math.floor(ns / 1e9);
	const rest = String(Math.round(ns % 1e9)).padStart(9, "0").replace(/0+$/, "");
	return rest ? whole + "." + rest : String(whole);
}
