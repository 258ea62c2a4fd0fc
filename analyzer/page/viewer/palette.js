// palette.js: colours. Those of origins are the set of Okabe and Ito, which people with any kind of colour blindness can tell
// apart, made paler so that dark text stands on them with a contrast of at least 7 to 1 (light) and light text 5 to 1 (dark).

import { drawAll } from "./canvas.js";

/** By enum page_origin. */
export const ORIGINS = ["program", "library", "kernel", "generated code", "Java", "recorder", "unknown"];

/** Hue, chroma-like saturation, lightness in the light theme. @type {[number, number, number][]} */
const HUES = [[38, 88, 74], [202, 68, 76], [12, 74, 76], [322, 48, 80], [158, 42, 70], [0, 0, 78], [220, 8, 82]];

const root = document.documentElement.dataset, darkness = matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
	return root.theme === "dark";
}

/** @param {boolean} dark */
function setDark(dark) {
	root.theme = dark ? "dark" : "light";
}

/**
 * As the system is, or the button says; paper is light.
 * @param {HTMLElement} chooser
 * @param {() => void} redraw
 */
export function followTheme(chooser, redraw) {
	const change = (/** @type {boolean} */ dark) => {
		setDark(dark);
		redraw();
	};
	let before = false, isChosen = false;
	chooser.onclick = () => {
		isChosen = true;
		change(!isDark());
	};
	// A system is light on paper.
	darkness.onchange = () => {
		if (!isChosen && !matchMedia("print").matches) change(darkness.matches);
	};
	addEventListener("beforeprint", () => {
		before = isDark();
		setDark(false);
		drawAll();
	});
	addEventListener("afterprint", () => {
		setDark(before);
		drawAll();
	});
}

setDark(darkness.matches);

/**
 * The colour of a frame: the origin gives the hue, the name varies it a little, so that neighbours differ.
 * @param {number} origin
 * @param {number} key
 * @param {boolean} dark
 */
export function frameColor(origin, key, dark) {
	const [hue, saturation, light] = HUES[origin] || HUES[6];
	const noise = ((Math.imul(key + 1, 0x9e3779b1) >>> 16) & 255) / 255 - 0.5;
	const l = dark ? 30 + noise * 9 : light + noise * 9;
	return `hsl(${(hue + noise * 10).toFixed(0)} ${dark ? saturation * 0.55 : saturation}% ${l.toFixed(1)}%)`;
}

const THEME = /** @type {const} */ (["text", "soft", "line", "back", "raised", "accent", "cpu", "heap", "wait", "match", "more", "less"]);

/**
 * Colours of the theme, as the style sheet has them.
 * @returns {Record<typeof THEME[number], string>}
 */
export function theme() {
	const style = getComputedStyle(document.documentElement);
	return /** @type {any} */ (Object.fromEntries(THEME.map((name) => [name, style.getPropertyValue("--" + name).trim()])));
}

/**
 * A step of a ramp from nothing to much, readable without colour: it only becomes darker (lighter in the dark).
 * @param {number} share 0 to 1
 * @param {boolean} dark
 */
export function ramp(share, dark) {
	const x = Math.max(0, Math.min(1, share));
	return dark ? `hsl(${210 - 160 * x} ${40 + 50 * x}% ${14 + 62 * x}%)` : `hsl(${205 + 25 * x} ${55 + 25 * x}% ${94 - 66 * x}%)`;
}

/** Colours of marks by number of their kind of data: distinct in lightness too. @type {Record<number, string>} */
const MARKS = {2: "#d55e00", 3: "#0072b2", 4: "#8a6d00", 5: "#cc79a7", 6: "#009e73", 7: "#7b4fa6"};

/** @param {number} kind */
export function markColor(kind) {
	return MARKS[kind] || "#666";
}

/**
 * The colour of a change: from less (blue) over none (grey) to more (orange).
 * @param {number} change -1 to 1
 * @param {boolean} dark
 */
export function changeColor(change, dark) {
	const x = Math.max(-1, Math.min(1, change)), size = Math.sqrt(Math.abs(x));
	if (dark) return `hsl(${x > 0 ? 24 : 210} ${70 * size}% ${28 + 12 * size}%)`;
	return `hsl(${x > 0 ? 24 : 210} ${85 * size}% ${84 - 18 * size}%)`;
}
