package text

// RedactArgs makes a tree of arguments safe, in place: values of key-like
// names and of header options are replaced, and every other string is cleaned
// and redacted as a line is. Trees are those of JSON: maps by name, slices,
// strings, numbers, booleans and nil.
func RedactArgs(args map[string]any) {
	for name, v := range args {
		args[name] = safeValue(name, v)
	}
}

func safeValue(name string, v any) any {
	switch v := v.(type) {
	case string:
		if secretArg(name) && !harmlessValue(name, v) {
			return Redacted
		}
		return Safe(v)
	case []string:
		for i, e := range v {
			v[i] = safeValue(name, e).(string)
		}
	case []any:
		for i, e := range v {
			v[i] = safeValue(name, e)
		}
		hideFlagValues(v)
	case []map[string]any:
		for _, e := range v {
			safeValue(name, e)
		}
	case map[string]any:
		if secretArg(name) {
			for k, e := range v {
				v[k] = safeValue(name, e)
			}
			return v
		}
		RedactArgs(v)
	case map[string]string:
		for k, e := range v {
			inner := k
			if secretArg(name) {
				inner = name
			}
			v[k] = safeValue(inner, e).(string)
		}
	}
	return v
}

// secretArg tells names under which every string is a secret.
func secretArg(name string) bool {
	return name == "header" || name == "headers" || isSecretName(name)
}

// hideFlagValues redacts the element that follows a secret flag in a command
// line that was split into words.
func hideFlagValues(words []any) {
	for i := 1; i < len(words); i++ {
		flag, ok := words[i-1].(string)
		value, isText := words[i].(string)
		if ok && isText && len(flag) > 1 && flag[0] == '-' && isSecretName(flag) && !harmlessValue(flag, value) {
			words[i] = Redacted
		}
	}
}
