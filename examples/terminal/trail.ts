/** The screens through which a person has come, for the way back. */
export class Trail {
  #paths: string[] = []

  /** Going to a screen that lies on the way is going back to it. */
  visit(path: string): void {
    const index = this.#paths.indexOf(path)
    if (index >= 0) this.#paths.length = index + 1
    else this.#paths.push(path)
  }

  /** The screen that was shown last. */
  get last(): string | null {
    return this.#paths.at(-1) ?? null
  }

  forget(): void {
    this.#paths = []
  }

  /** Where Esc leads to; null from the main menu. */
  previous(menuPath: string): string | null {
    const current = this.#paths.at(-1)
    if (current === undefined || current === menuPath) return null
    return this.#paths.at(-2) ?? menuPath
  }
}
