/** HTML or XML in which each text is escaped. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Part = string | number | Markup | readonly Part[]

/** Builds markup from a template, and escapes each text in it. A report has no character that XML 1.0 does not allow. */
export function markup(literals: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(String.raw({ raw: literals }, ...parts.map(textOf)))
}

function textOf(part: Part): string {
  if (part instanceof Markup) return part.text
  if (typeof part === 'object') return part.map(textOf).join('')
  return String(part).replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
}
