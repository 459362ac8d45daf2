import t from 'tap'
import { type OpaqueTokensOptions, opaqueTokens } from '../../../../lib/index.ts'

const store = new Map()

t.test('a wrong option throws an error that names the option', async t => {
  for (const [options, message] of [
    [undefined, /`opaqueTokens` must be an object with store, lifetime/],
    [{}, /`opaqueTokens.store` must be a Keyv/],
    [{ store: {} }, /`opaqueTokens.store`/],
    [{ store: { get() {}, set() {} } }, /`opaqueTokens.store`/],
    [
      { store: { get() {}, set() {}, delete() {}, onChange: true } },
      /`opaqueTokens.store` must have a function `onChange`/
    ],
    [
      { store: { get() {}, set() {}, delete() {}, onChange() {}, ping: 1 } },
      /`opaqueTokens.store` must have a function `ping`/
    ],
    [{ store, lifetime: 0 }, /`opaqueTokens.lifetime` must be a whole number of seconds/],
    [{ store, lifetime: 1.5 }, /`opaqueTokens.lifetime`/],
    [{ store, lifetime: '60' }, /`opaqueTokens.lifetime`/],
    [{ store, lifetime: Number.POSITIVE_INFINITY }, /`opaqueTokens.lifetime`/],
    [{ store, lifetime: 60, maxLifetime: 59 }, /`opaqueTokens.maxLifetime` must be .* `lifetime` or more/],
    [{ store, maxLifetime: '90000' }, /`opaqueTokens.maxLifetime`/],
    [{ store, cache: -1 }, /`opaqueTokens.cache` must be a whole number of seconds from 0 to 2147483/],
    [{ store, cache: 2_147_484 }, /`opaqueTokens.cache`/],
    [{ store, cache: 0.5 }, /`opaqueTokens.cache`/],
    [{ store, timeout: 0 }, /`opaqueTokens.timeout` must be .* at most 2147483/],
    [{ store, timeout: 2_147_484 }, /`opaqueTokens.timeout`/],
    [{ store, lifetim: 60 }, /`opaqueTokens` has no setting `lifetim`/]
  ] as [OpaqueTokensOptions, RegExp][]) {
    t.throws(() => opaqueTokens(options), { code: 'FST_SCREEN_AUTH_INVALID_OPTION', message })
  }
})

t.test('the smallest and the largest option that is allowed is accepted', async t => {
  t.doesNotThrow(() => opaqueTokens({ store, lifetime: 60, maxLifetime: 60, cache: 0, timeout: 2_147_483 }))
})
