// widget.js: small pieces of the page.

import { safe } from "./text.js";

/**
 * An element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, any>} attributes properties; `class`, `role` and names with a dash are attributes
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(name, attributes = {}, ...children) {
	const element = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (value === undefined || value === null || value === false) continue;
		if (key === "class") element.className = value;
		else if (key.includes("-") || key === "role" || key === "scope") element.setAttribute(key, String(value));
		else /** @type {any} */ (element)[key] = value;
	}
	for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
	return element;
}

/**
 * A colour of a legend, and what it means.
 * @param {string} color
 * @param {string} text
 */
export function patch(color, text) {
	const box = make("span", {class: "patch"});
	box.style.background = color;
	return make("span", {}, box, text);
}

/** @param {string} id */
export function find(id) {
	return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * A name from an experiment: isolated, so that its direction does not reach its neighbours.
 * @param {string} text
 * @param {string} title
 */
export function nameOf(text, title = text) {
	return make("bdi", {title: safe(title)}, safe(text));
}

/**
 * Tell screen readers, and show for a moment.
 * @param {string} text
 */
export function say(text) {
	find("status").textContent = text;
}

/**
 * @param {string} text
 * @param {() => void} run
 * @param {Record<string, any>} more
 */
export function button(text, run, more = {}) {
	return make("button", {type: "button", onclick: run, ...more}, text);
}

/**
 * A heading with what can be done beside it.
 * @param {string} text
 * @param {...(Node|string)} tools
 */
export function heading(text, ...tools) {
	return make("div", {class: "head"}, make("h2", {}, text), make("div", {class: "tools"}, ...tools));
}

/**
 * A choice of one of several words.
 * @param {string} label
 * @param {[string, string][]} options value and text
 * @param {string} value
 * @param {(value: string) => void} run
 */
export function select(label, options, value, run) {
	const box = make("select", {onchange: () => run(box.value)},
		...options.map(([key, text]) => make("option", {value: key, selected: key === value}, text)));
	return make("label", {class: "field"}, make("span", {}, label), box);
}

/**
 * A small box beside the pointer.
 * @param {number} x
 * @param {number} y
 * @param {...(Node|string)} children none: hide it
 */
export function tip(x, y, ...children) {
	const box = find("tip");
	box.hidden = children.length === 0;
	if (box.hidden) return;
	box.replaceChildren(...children);
	const {innerWidth, innerHeight} = window, rect = box.getBoundingClientRect();
	box.style.left = Math.max(4, Math.min(x + 14, innerWidth - rect.width - 8)) + "px";
	box.style.top = (y + 18 + rect.height > innerHeight ? Math.max(4, y - rect.height - 10) : y + 18) + "px";
}
