# squeeze.awk: takes the blanks and newlines out of a script where they separate nothing. Strings, the text of templates and
# regular expressions stay as they are; a template may not reach over the end of a line.

# How long the string, template or regular expression is that a text begins with.
function length_of(text, end,    at, c, depth, is_class) {
	for (at = 2; at <= length(text); at++) {
		c = substr(text, at, 1)
		if (c == "\\")
			at++
		else if (end == "`" && substr(text, at, 2) == "${")
			at += code_length(substr(text, at + 2)) + 2
		else if (end == "/" && c == "[")
			is_class = 1
		else if (c == "]")
			is_class = 0
		else if (c == end && !is_class)
			return at
	}
	return length(text)
}

# How long the code in a template is, up to its brace.
function code_length(text,    at, c, depth) {
	for (at = 1; at <= length(text); at++) {
		c = substr(text, at, 1)
		if (c == "{")
			depth++
		else if (c == "}" && depth-- == 0)
			return at - 1
		else if (c ~ /["'`]/)
			at += length_of(substr(text, at), c) - 1
	}
	return length(text)
}

function is_word(c) { return c ~ /[A-Za-z0-9_$]/ }

# A template, its code squeezed too.
function template(text,    out, at, size) {
	for (at = 1; at <= length(text); at++) {
		out = out substr(text, at, 1)
		if (substr(text, at, 1) == "\\")
			out = out substr(text, ++at, 1)
		else if (substr(text, at, 2) == "${") {
			size = code_length(substr(text, at + 2))
			out = out "{" squeezed(substr(text, at + 2, size))
			at += size + 1
		}
	}
	return out
}

function squeezed(rest,    out, c, before, after, size, part) {
	for (; rest != ""; rest = substr(rest, size + 1)) {
		c = substr(rest, 1, 1)
		before = substr(out, length(out))
		size = 1
		if (c == " ") {
			after = substr(rest, 2, 1)
			if (!(is_word(before) && is_word(after)) && !(before == after && before ~ /[-+]/) && before != "/" && after != "/")
				continue
		} else if (c ~ /["'`]/ || (c == "/" && (out == "" || out ~ /([(,=:[!&|?{};>]|return) *$/)))
			size = length_of(rest, c)
		part = substr(rest, 1, size)
		out = out (c == "`" ? template(part) : part)
	}
	return out
}

{
	line = squeezed($0)
	# Where no statement ends that has no semicolon, lines are joined.
	printf line ~ /[[{};,(|&?:=>]$/ ? "%s" : "%s\n", line
}
