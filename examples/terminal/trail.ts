/** The visited screens, for the way back. */
export class Trail {
  #paths: string[] = []

  /**
   * Adds a screen. A screen that was visited before removes those after it.
   *
   * @param replaces whether it comes in the place of the last one
   */
  visit(path: string, replaces: boolean): void {
    if (replaces) this.#paths.pop()
    const index = this.#paths.indexOf(path)
    if (index >= 0) this.#paths.length = index + 1
    else this.#paths.push(path)
  }

  /** The last shown screen. */
  get last(): string | null {
    return this.#paths.at(-1) ?? null
  }

  /** The screen before it. */
  get previous(): string | null {
    return this.#paths.at(-2) ?? null
  }

  forget(): void {
    this.#paths = []
  }
}
