/** The visited screens, for the way back. */
export class Trail {
  #paths: string[] = []

  /** Adds a screen. A screen that was visited before removes those after it. */
  visit(path: string): void {
    const index = this.#paths.indexOf(path)
    if (index >= 0) this.#paths.length = index + 1
    else this.#paths.push(path)
  }

  /** The last shown screen. */
  get last(): string | null {
    return this.#paths.at(-1) ?? null
  }

  forget(): void {
    this.#paths = []
  }

  /** The target of Esc; null on the main menu. */
  previous(menuPath: string): string | null {
    const current = this.#paths.at(-1)
    if (current === undefined || current === menuPath) return null
    return this.#paths.at(-2) ?? menuPath
  }
}
