/** A string that YAML 1.1 and 1.2 read as it is. All others are quoted as in JSON, which is YAML. */
const PLAIN = /^(?!(?:y|n|yes|no|on|off|true|false|null|e\d+)$)(?:[a-z_/][\w/.-]*|\d+\.\d+\.\d+)$/i

/** YAML of plain data, to be read by people: a line for each value. */
export function toYaml(data: unknown): string {
  return `${lines(data, '\n').trimStart()}\n`
}

function lines(value: unknown, indent: string): string {
  if (typeof value === 'string') return ` ${scalar(value)}`
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return ` ${JSON.stringify(value)}`
  const deeper = `${indent}  `
  if (Array.isArray(value)) return value.map(item => `${indent}-${lines(item, deeper)}`).join('')
  return Object.entries(value)
    .map(([key, item]) => `${indent}${scalar(key)}:${lines(item, deeper)}`)
    .join('')
}

function scalar(text: string): string {
  return PLAIN.test(text) ? text : JSON.stringify(text)
}
