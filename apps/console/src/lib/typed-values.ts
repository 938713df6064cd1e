/** Text fields by name. Names that start with `$` are the framework's; files are not taken. */
export function fieldsOf(form: FormData): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of form) {
    if (typeof value === 'string' && value !== '' && !name.startsWith('$')) fields[name] = value;
  }
  return fields;
}

/** What goes back into the form. A password is never sent back, whatever its field is called. */
export function typedValues(form: FormData): Record<string, string> {
  const fields = Object.entries(fieldsOf(form));
  return Object.fromEntries(fields.filter(([name]) => !/password|secret|apiKey$/i.test(name)));
}
