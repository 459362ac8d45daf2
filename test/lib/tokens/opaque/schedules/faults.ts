/** A mistake that somebody could make in lib/tokens/opaque: the text is replaced by the other. */
export interface Fault {
  name: string
  file: string
  text: string
  by: string
}

export const faults: Fault[] = [
  {
    name: 'a session is remembered after the store has responded, whatever was reported meanwhile',
    file: 'known-sessions.ts',
    text: '      return entry.session\n',
    by: '      this.#entries.set(token, entry)\n      return entry.session\n'
  },
  {
    name: 'the end of all sessions is not noticed while one of them is read',
    file: 'known-sessions.ts',
    text: '      entry.session = await read()\n',
    by: '      entry.session = await read()\n      entry.owner = this.#enter(owner)\n'
  },
  {
    name: 'the reported end of a session is ignored',
    file: 'sessions.ts',
    text: 'else if (kind === SESSION) this.#known.end(id)',
    by: ''
  },
  {
    name: 'the reported end of all sessions is ignored',
    file: 'sessions.ts',
    text: 'else if (kind === GENERATION) this.#known.endAll(id)',
    by: ''
  },
  {
    name: 'after the end of all sessions, only those of the last state are forgotten',
    file: 'known-sessions.ts',
    text: '    owner.isCurrent = false\n',
    by: ''
  },
  {
    name: 'a lost connection is ignored',
    file: 'store-changes.ts',
    text: 'if (key === null) this.#lose()',
    by: 'if (key === null) return'
  },
  {
    name: 'what was remembered is kept when the connection is lost',
    file: 'sessions.ts',
    text: 'if (key === null) this.#known.clear()',
    by: 'if (key === null) return'
  },
  {
    name: 'the heartbeat does not wait for its report',
    file: 'store-changes.ts',
    text: "once(this.#ownChanges, 'change', { signal })",
    by: 'null'
  },
  {
    name: 'a silent connection is believed without an end',
    file: 'store-changes.ts',
    text: 'return performance.now() < this.#heardUntil',
    by: 'return this.#heartbeat !== null'
  },
  {
    name: 'the process that ends a session does not forget it',
    file: 'sessions.ts',
    text: '      this.#known.end(id)\n    }\n    user',
    by: '    }\n    user'
  },
  {
    name: 'the process that ends all sessions does not forget them',
    file: 'sessions.ts',
    text: '      this.#known.endAll(owner)\n    }\n',
    by: '    }\n'
  },
  {
    name: 'an end resolves before the store has carried it out',
    file: 'sessions.ts',
    text: '      await this.#store.delete(sessionKey(id))',
    by: '      this.#store.delete(sessionKey(id)).catch(() => {})'
  },
  {
    name: 'a remembered session does not expire',
    file: 'sessions.ts',
    text: ' && Date.now() < known.until ?',
    by: ' ?'
  },
  {
    name: 'a session that has expired is not refused',
    file: 'sessions.ts',
    text: '    if (expires <= now) return null\n',
    by: ''
  },
  {
    name: 'a use renews a session that has expired',
    file: 'sessions.ts',
    text: '    if (expires <= now) return null\n\n    const isUse = expires < end && now - used >= lifetime * RENEWED_AFTER\n    // In the background: the request need not wait for it.\n    if (isUse) this.#renew(id, now, Math.min(lifetime, end - now))\n',
    by: '    const isUse = expires < end && now - used >= lifetime * RENEWED_AFTER\n    // In the background: the request need not wait for it.\n    if (isUse) this.#renew(id, now, Math.min(lifetime, end - now))\n    if (expires <= now) return null\n'
  },
  {
    name: 'a renewal writes the session again',
    file: 'sessions.ts',
    text: '    if (isUse) this.#renew(id, now, Math.min(lifetime, end - now))\n',
    by: '    if (isUse) this.#renew(id, now, Math.min(lifetime, end - now))\n    if (isUse) this.#store.set(sessionKey(id), stored, end - now).catch(() => {})\n'
  },
  {
    name: 'a process reads the generation of a user once',
    file: 'sessions.ts',
    text: '    const generation = await this.#store.get(generationKey(owner))\n',
    by: '    const kept = ((this as unknown as { kept?: Map<string, unknown> }).kept ??= new Map())\n    const generation = kept.has(owner) ? kept.get(owner) : await this.#store.get(generationKey(owner))\n    kept.set(owner, generation)\n'
  },
  {
    name: 'the mark of an end of all sessions is kept for too short a time',
    file: 'sessions.ts',
    text: 'const ttl = Math.max(this.#times.maxLifetime, SHORTEST_GENERATION)',
    by: 'const ttl = SHORTEST_GENERATION'
  },
  {
    name: 'a store that fails is taken for one that has nothing',
    file: 'checked-store.ts',
    text: "      throw new TokenStoreError('failed', { cause })\n",
    by: '      return null\n'
  },
  {
    name: 'nothing is ever remembered',
    file: 'known-sessions.ts',
    text: 'return entry?.owner.isCurrent ? entry.session : null',
    by: 'return null'
  },
  {
    name: 'a heartbeat that was lost is not begun again',
    file: 'store-changes.ts',
    text: '    this.#heartbeat = null\n    this.#heardUntil',
    by: '    this.#heardUntil'
  }
]
