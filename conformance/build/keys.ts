import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto'

/** The algorithms that servers use most. */
export const ALGORITHMS = ['HS256', 'HS512', 'RS256', 'ES256'] as const

export type Algorithm = (typeof ALGORITHMS)[number]

/**
 * Keys for tests only: they are published and protect nothing. `own` keys belong to the server, `other` keys to an
 * attacker. The private keys are in PKCS #8.
 */
const KEYS = {
  own: {
    HS256: 'test-key-that-is-published-HS256',
    HS512: 'test-key-that-is-published-for-HS512-has-sixty-four-characters!!',
    RS256:
      'MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDvcGXzQ/P4tj7lvFzlZ3fRpW0rBZ8XyjlVwTeTEVqDha2M18soQ4QcEk8o+nYlmaQp59bPRFYuOxLgbkFy6A0K1A7zSo6lvqVZTxc+isTYa24csuXRKFu9G21uxvhdBs5y6zt0Ox+TPN57xEkh3mNBMrA8ILpcLU05DoC1sQzJhBAFYFn2UkoLrcYN4V/9IxSl9iThoyrRtl9hIoqvjqJxBQWohhaWPcNU7w5np+uYXxB7CS5AaaUW0dVVGNhxoA1V/wLrscmGX/MFUXCo1y0okexTmdhyh2OipDSgbuGK0HBhzaRR7vIDOMiD/rOPO9YFH36YWaHYDt2gR6LP/l0HAgMBAAECggEAIcH3NbwpEQc3c0dtJ3trgAzH3pltITsF01/UQzFeprgO9xJTlmp9HUIS6WRKilQ7j3GcLl5kR3dVBXxgpjUuOuPD9IGDVBM+wl/YF0gUUa5FI4RbdMjbtPFBgAKgcJPYQTPbZDCTwTwDOBrn8/+j1G+I5lP3l62xZgUemL83XiUGa0nm2guODeVrV/a9Sn4azIxuDL86wR2tFwhiUXQVsNoBl7Tp5AfZ+IzgrrbswABp0QBWLxlVjq3FyPZUA6zwm1yDaBkmvUEYu4GFqfV0LiMJyjHB1Xdy4d2ED8BeJjeNw4/zm17hj9xSp15561GA/g/Q1eejeLiLRKoGrg+C4QKBgQD6noWHNJMmeZjje44P3v02bSdBOxs101j+Dm2Fgab/Om2EFEcG+9aVtujJ/P7TJAmHoUuNc6TPU/ME108SzxEeGkDICOvY4/FjbImqoOHQlDmh0xtqHiaGqecyuG73hXtVCvu2FbeTSLf343GBJntRldQyBBfR60gFb9Lzt3KZJwKBgQD0lG1VgOX+eTYhYBi3eBNe6aGt6zdQTH97D5b48mr4RwZ8D0Z0rmZwdzUwu8bHbN89M4qR4JZmWsFlaO+pKYeueJ+8kztfTfvItvpElFB+EtvelIKfgHSiu+AZaq6kFpVHgjvz4NsM62Oj1ul4Az5XOJy3aGiB2loK9teMYd/JIQKBgGW1kdFGR/XUYXTovsW4JKFC+Sxi9W8Jv9MTPeVxsblhF/MDW7P83qBR4/WdhDliJa/yiLv2U8uEcVrkmoWynWrPEr1byYNzNpK4CMLDmgFRNnZzO2v8onwCVf7ilL5FYMEpvO+vrpnKaEbk+jqEyIVavgwyVwxtZQQ31q/sIkj/AoGBANgu+hVBwgmUikwl7LL+5+BVEhvwdQv9EhFsTj3tyK972DeAKP6pyNJQDCvvTlyn1wr5q9oVcds3DQreHjigBNYquMauPSSYgZ2AXuaPUjad5Mpw6qShnnbZKdRNf+B6NajnbKa8ceKRjZkcNXFnLItb9uoG15kvr7dRSGVFfdEBAoGBAOOrp5nO6wJbnFsROT3qsTX9SiLZo9osrkg9nJA9ASd/PMomMSZuAts4MrQxgB8tI/7TrBmzIyDQGkNtIIQgCcKH8/56BCyNoqor2r+2sVMGH+K7h8GN/r8Y14rXXzG2jJwGU/lQ+oMriORKQrh8HduIUmaFbp+yikJABW4b14LQ',
    ES256:
      'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg998JSR+nltEofxp1wGjQQi48LJxBsC3iga1/1P7UZ9ehRANCAASkI7dEvIANGOZHTZ1AV3a8EAH5H7VdsfAc5Bic0Ihp80dHCRrncsQXkCNt+04HE4XOnoUQ6si8zAB77JoxU7La'
  },
  other: {
    HS256: 'other-key-of-an-attacker-of-HS256',
    HS512: 'other-key-of-an-attacker-of-HS512-has-sixty-four-characters-too!',
    RS256:
      'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDXsIxSkwSYpnKXy7qOtofIiBxGA76Nrwi8wRuVSFuwM3bl7GBWLteHfsz5akackih/31K0WmPv1tk+JlR6Vcf4oFAipYbyYDtvIbTUe41KGVygjLAjP3AWx3JTrTvKFFeudn4/YeIeHjmQiZypRCwsp2hYgb/VNYNorfsQyS5hhPjXcUcbCK8g8K++aarBdsIIrkJKSzmCHYz9qdhNHhsjZo5RmwqNJouJLdc+1WXtgXiIbY+IvRYn31BnrRyN7YmrP7BR3mt5XULSEY1Wffn1sbbZsA9mmH9ptjFD4dBYy7vXdjG29nqxXSOaGmXvFf2BLh+9oA16pBTqsDzENj0TAgMBAAECggEAWKQkTw0/jtKc9phR/7OxIu8ZG4cPaV/9ScFc6iF2GPhVjVFzGAghKHyqlXghM9h3T3ICpb8eIiOcXUfYYPxe9eVAebSoPHTjCB2EmOx72O+KWyrmel3oXVwzNoNTto1cqYTmBnteN715L9b2LLQpKWLVZcZRBbj72+nga/oaFxYTAYqnHhPNOlFGOKzo4c6bVTLsf9V33/iUnMxIKBD54kbMY5vQmDQt/ov26G6Dtq15hZk2g7tEDrUosSZRu7P1/7dzuNdb6j0bMsbH50qnoELicP8rNgDaU23NHL5pi/Lm/SkZJH2CvCSUm62tn+OSL9t9gBIg2PGiS0QDZyA2sQKBgQDzWxP0MZ5e6BcmGuMiNqaeXhnq4pWxGPxJYcxZ7+gWTLF8U7TcOl09qQMrkLltMOynBVGWUb39YLYljkqifByRk8lO5yhi/ft31oiOHbwEvtDXC+UrMSwCxe/KrmFtYkeNNQbYBmmCKOClL232FxhYKVrqfQ39Bt+6hFb2m+l74wKBgQDi5XpGNge9b9hUhWrjScL86+Y+QenItQM9+nV6LbuZ4yNSGTH8O4Bist8bb1NP/pYUpjVnGy2Abddehjns4juixih1w5cthYc87t2Fsjv/KEO5ImUAdKF1kfdkrr3UA/Tszssgb6PrEqCdYZRVmGa2VDiTBHSlvEBhVG8P+mxhEQKBgCrctNQC1UkUCde9TpodFBW6r0fuprztkKoAHrUMi006LtyeBbHwWbHdjeBjejVgM55rUmZueU8idJKC0GR0BbgiVoeeMT/WSi9eSuj1FcOkNDZcMv37iCvo3wZM1n4knEOjvlPYNUcmmgKeKvj4MmJ8zjWU1xzk1A0O+B4xcdtPAoGBAMcfkyaJBlPnExhiGkMsGbZzpJWgrPYafaTn6C94cTqFTxsex3JQGcUEq65dDeWXTMkEcLty64TZYPgwnidZB/M7KojnRQaLN/tuufQ6TlMIWB7io3c54/TVTCMNA8VMT6d/eF6X+2gy6cgUueRAomuDED9d2q0Uv/9q5SlFodWxAoGAWDYxUvtPwstIQcgShl24wOzvtYJAA7AhEnPbM6gLcKH5sFVNHIVakzHi6z/LPZNM5Z/2l88OMIJAn0w7zfrpuqerikf5SeuKiBMdtuTttCpQFZCwJ2SQwR72ke5yZQ/H9r77cBqqREmI7jXDUXKO1OeVVNqUI+jarqaui4aEI6A=',
    ES256:
      'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZ0QGLYjqnvQZUHG2Eiih7+ltR7ZqjI3aUCSfrpr+tOehRANCAATlya3UmD6rC75iibFaCMnCtrDAn4giR4GYLfnUUa/c8mzBVbLfYLo5oGZrBKqy3sQimnau118EGYEt+QGD0F+q'
  }
}

/** Returns a published test key: `own` is the server's, `other` is an attacker's. */
export function testKey(owner: 'own' | 'other', alg: Algorithm): KeyObject {
  const key = KEYS[owner][alg]
  if (alg === 'HS256' || alg === 'HS512') return createSecretKey(key, 'utf8')
  return createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' })
}

/** Returns a key in the formats that servers read. */
export function formsOf(key: KeyObject, alg: Algorithm) {
  const about = { kid: 'TEST KEY, PUBLISHED', alg }
  if (key.type === 'secret') {
    return { secret: key.export().toString(), privateJwk: { ...key.export({ format: 'jwk' }), ...about } }
  }
  const publicKey = createPublicKey(key)
  return {
    publicJwk: { ...publicKey.export({ format: 'jwk' }), ...about },
    privateJwk: { ...key.export({ format: 'jwk' }), ...about },
    publicPem: publicKey.export({ format: 'pem', type: 'spki' }),
    privatePem: key.export({ format: 'pem', type: 'pkcs8' })
  }
}
