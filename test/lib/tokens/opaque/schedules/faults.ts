/** A mistake that somebody could make in lib/tokens: the text is replaced by the other. */
export interface Fault {
  name: string
  file: string
  /** With which store it shows. Default: one that reports its changes. */
  store?: 'asked'
  text: string
  by: string
}

export const faults: Fault[] = [
  {
    name: 'a session is remembered after the store has responded, whatever was reported meanwhile',
    file: 'opaque/known-sessions.ts',
    text: '      return entry.session\n',
    by: '      this.#entries.set(token, entry)\n      return entry.session\n'
  },
  {
    name: 'the end of all sessions is not noticed while one of them is read',
    file: 'opaque/known-sessions.ts',
    text: '      entry.session = await read()\n',
    by: '      entry.session = await read()\n      entry.owner = this.#enter(ownerName)\n'
  },
  {
    name: 'the reported end of a session is ignored',
    file: 'opaque/sessions.ts',
    text: 'else if (key.startsWith(SESSION)) this.#known.end(key.slice(SESSION.length))',
    by: ''
  },
  {
    name: 'the reported end of all sessions is ignored',
    file: 'opaque/sessions.ts',
    text: 'else if (key.startsWith(GENERATION)) this.#known.endAll(key.slice(GENERATION.length))',
    by: ''
  },
  {
    name: 'after the end of all sessions, only those of the last state are forgotten',
    file: 'opaque/known-sessions.ts',
    text: '    if (owner !== undefined) owner.isCurrent = false\n',
    by: ''
  },
  {
    name: 'a lost connection is ignored',
    file: 'opaque/sessions.ts',
    text: 'if (key === null) this.#freshness.lose()',
    by: 'if (key === null) return'
  },
  {
    name: 'what was remembered is kept when the connection is lost',
    file: 'opaque/freshness.ts',
    text: '    this.#onLoss()\n',
    by: ''
  },
  {
    name: 'the time of a heartbeat starts when it is heard',
    file: 'opaque/freshness.ts',
    text: '      this.#known = sent\n',
    by: '      this.#known = new Moment()\n'
  },
  {
    name: 'the time during which the machine is suspended does not count',
    file: 'opaque/freshness.ts',
    text: 'Math.max(performance.now() - this.#monotonic, Date.now() - this.#wall)',
    by: 'performance.now() - this.#monotonic'
  },
  {
    name: 'a store that cannot prove its reports is believed for ever',
    file: 'opaque/freshness.ts',
    text: '      this.#known = new Moment()\n',
    by: "      Object.assign(this, { renew() {} })\n      this.#known = Object.defineProperty(new Moment(), 'age', { value: 0 })\n"
  },
  {
    name: 'a silent connection is believed without an end',
    file: 'opaque/freshness.ts',
    text: 'this.#known !== null && this.#known.age < this.#limit',
    by: 'this.#known !== null'
  },
  {
    name: 'the process that ends a session does not forget it',
    file: 'opaque/sessions.ts',
    text: '      this.#known.end(id)\n    }\n    user',
    by: '    }\n    user'
  },
  {
    name: 'the process that ends all sessions does not forget them',
    file: 'opaque/sessions.ts',
    text: '      this.#known.endAll(owner)\n    }\n',
    by: '    }\n'
  },
  {
    name: 'an end resolves before the store has carried it out',
    file: 'opaque/sessions.ts',
    text: '      await this.#store.delete(sessionKey(id))',
    by: '      Promise.resolve(this.#store.delete(sessionKey(id))).catch(() => {})'
  },
  {
    name: 'a remembered session does not expire',
    file: 'opaque/sessions.ts',
    text: ' && Date.now() < known.until ?',
    by: ' ?'
  },
  {
    name: 'a session that has expired is not refused',
    file: 'opaque/sessions.ts',
    text: '    if (expires <= asked || end <= Date.now()) return null\n',
    by: ''
  },
  {
    name: 'whether a session has expired is judged when the store responds',
    file: 'opaque/sessions.ts',
    text: '    if (expires <= asked ||',
    by: '    if (expires <= Date.now() ||'
  },
  {
    name: 'a use renews a session that has expired',
    file: 'opaque/sessions.ts',
    text: '    if (expires <= asked || end <= Date.now()) return null\n\n    const isUse = expires < end && asked - used >= lifetime * RENEWED_AFTER\n    // In the background: the request need not wait for it.\n    if (isUse) this.#renew(id, asked, Math.min(lifetime, end - asked) + MARGIN)\n',
    by: '    const isUse = expires < end && asked - used >= lifetime * RENEWED_AFTER\n    // In the background: the request need not wait for it.\n    if (isUse) this.#renew(id, asked, Math.min(lifetime, end - asked) + MARGIN)\n    if (expires <= asked || end <= Date.now()) return null\n'
  },
  {
    name: 'a renewal writes the session again',
    file: 'opaque/sessions.ts',
    text: '    if (isUse) this.#renew(id, asked, Math.min(lifetime, end - asked) + MARGIN)\n',
    by: '    if (isUse) this.#renew(id, asked, Math.min(lifetime, end - asked) + MARGIN)\n    if (isUse) Promise.resolve(this.#store.set(sessionKey(id), stored, end - asked)).catch(() => {})\n'
  },
  {
    name: 'a process reads the generation of a user once',
    file: 'opaque/sessions.ts',
    text: '      this.#store.get(generationKey(owner))\n    ])',
    by: '      (((this as unknown as { kept?: Record<string, unknown> }).kept ??= {})[owner] ??=\n        this.#store.get(generationKey(owner)))\n    ])'
  },
  {
    name: 'the mark of an end of all sessions is kept for too short a time',
    file: 'opaque/sessions.ts',
    text: 'const ttl = Math.max(this.#times.maxLifetime, SHORTEST_GENERATION)',
    by: 'const ttl = SHORTEST_GENERATION'
  },
  {
    name: 'a store that fails is taken for one that has nothing',
    file: 'stores/checked-store.ts',
    text: 'const value = (await reader.get(key)) ?? null',
    by: 'const value = (await Promise.resolve(reader.get(key)).catch(() => null)) ?? null'
  },
  {
    name: 'nothing is ever remembered',
    file: 'opaque/known-sessions.ts',
    text: 'return entry?.owner.isCurrent ? entry.session : null',
    by: 'return null'
  },
  {
    name: 'a heartbeat that was lost is not begun again',
    file: 'opaque/freshness.ts',
    text: '    this.#heartbeat = null\n    this.#known',
    by: '    this.#known'
  },
  {
    name: 'a read of a Keyv may delete',
    file: 'stores/checked-store.ts',
    store: 'asked',
    text: 'Object.create(writer, { delete: nothing, deleteMany: nothing })',
    by: 'writer'
  },
  {
    name: 'a Keyv judges by its own clock what has expired',
    file: 'opaque/sessions.ts',
    store: 'asked',
    text: ' + MARGIN)',
    by: ')'
  },
  {
    name: 'Redis is not told again to report when the connection is a new one',
    file: 'stores/redis-store.ts',
    text: "client.on('ready', track)",
    by: '{}'
  },
  {
    name: 'Redis is told to report what was read and by prefix at once',
    file: 'stores/redis-store.ts',
    text: '      client.clientTracking(false),\n',
    by: ''
  },
  {
    name: 'Redis does not report ends of all sessions',
    file: 'stores/redis-store.ts',
    text: '[SESSION, GENERATION]',
    by: '[SESSION]'
  },
  {
    name: 'a client may change its connection without a word',
    file: 'stores/redis-store.ts',
    text: "[undefined, 'disabled'].includes(options?.maintNotifications)",
    by: 'true'
  },
  {
    name: 'the loss of a connection to Redis is not noticed',
    file: 'stores/redis-store.ts',
    text: "['error', 'end']",
    by: '[] as string[]'
  }
]
