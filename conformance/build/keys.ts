import { createPrivateKey, createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from 'node:crypto'

/** The algorithms that servers use most. */
export const ALGORITHMS = ['HS256', 'HS512', 'RS256', 'ES256'] as const

export type Algorithm = (typeof ALGORITHMS)[number]

/**
 * Keys for tests only: they are published and protect nothing. `own` keys belong to the server, `other` keys to an
 * attacker.
 */
const KEYS = {
  own: {
    HS256: 'test-key-that-is-published-HS256',
    HS512: 'test-key-that-is-published-for-HS512-has-sixty-four-characters!!',
    RS256: {
      kty: 'RSA',
      n: '73Bl80Pz-LY-5bxc5Wd30aVtKwWfF8o5VcE3kxFag4WtjNfLKEOEHBJPKPp2JZmkKefWz0RWLjsS4G5BcugNCtQO80qOpb6lWU8XPorE2GtuHLLl0ShbvRttbsb4XQbOcus7dDsfkzzee8RJId5jQTKwPCC6XC1NOQ6AtbEMyYQQBWBZ9lJKC63GDeFf_SMUpfYk4aMq0bZfYSKKr46icQUFqIYWlj3DVO8OZ6frmF8QewkuQGmlFtHVVRjYcaANVf8C67HJhl_zBVFwqNctKJHsU5nYcodjoqQ0oG7hitBwYc2kUe7yAzjIg_6zjzvWBR9-mFmh2A7doEeiz_5dBw',
      e: 'AQAB',
      d: 'IcH3NbwpEQc3c0dtJ3trgAzH3pltITsF01_UQzFeprgO9xJTlmp9HUIS6WRKilQ7j3GcLl5kR3dVBXxgpjUuOuPD9IGDVBM-wl_YF0gUUa5FI4RbdMjbtPFBgAKgcJPYQTPbZDCTwTwDOBrn8_-j1G-I5lP3l62xZgUemL83XiUGa0nm2guODeVrV_a9Sn4azIxuDL86wR2tFwhiUXQVsNoBl7Tp5AfZ-IzgrrbswABp0QBWLxlVjq3FyPZUA6zwm1yDaBkmvUEYu4GFqfV0LiMJyjHB1Xdy4d2ED8BeJjeNw4_zm17hj9xSp15561GA_g_Q1eejeLiLRKoGrg-C4Q',
      p: '-p6FhzSTJnmY43uOD979Nm0nQTsbNdNY_g5thYGm_zpthBRHBvvWlbboyfz-0yQJh6FLjXOkz1PzBNdPEs8RHhpAyAjr2OPxY2yJqqDh0JQ5odMbah4mhqnnMrhu94V7VQr7thW3k0i39-NxgSZ7UZXUMgQX0etIBW_S87dymSc',
      q: '9JRtVYDl_nk2IWAYt3gTXumhres3UEx_ew-W-PJq-EcGfA9GdK5mcHc1MLvGx2zfPTOKkeCWZlrBZWjvqSmHrnifvJM7X037yLb6RJRQfhLb3pSCn4B0orvgGWqupBaVR4I78-DbDOtjo9bpeAM-Vzict2hogdpaCvbXjGHfySE',
      dp: 'ZbWR0UZH9dRhdOi-xbgkoUL5LGL1bwm_0xM95XGxuWEX8wNbs_zeoFHj9Z2EOWIlr_KIu_ZTy4RxWuSahbKdas8SvVvJg3M2krgIwsOaAVE2dnM7a_yifAJV_uKUvkVgwSm876-umcpoRuT6OoTIhVq-DDJXDG1lBDfWr-wiSP8',
      dq: '2C76FUHCCZSKTCXssv7n4FUSG_B1C_0SEWxOPe3Ir3vYN4Ao_qnI0lAMK-9OXKfXCvmr2hVx2zcNCt4eOKAE1iq4xq49JJiBnYBe5o9SNp3kynDqpKGedtkp1E1_4Ho1qOdsprxx4pGNmRw1cWcsi1v26gbXmS-vt1FIZUV90QE',
      qi: '46unmc7rAlucWxE5PeqxNf1KItmj2iyuSD2ckD0BJ388yiYxJm4C2zgytDGAHy0j_tOsGbMjINAaQ20ghCAJwofz_noELI2iqivav7axUwYf4ruHwY3-vxjXitdfMbaMnAZT-VD6gyuI5EpCuHwd24hSZoVun7KKQkAFbhvXgtA'
    },
    ES256: {
      kty: 'EC',
      x: 'pCO3RLyADRjmR02dQFd2vBAB-R-1XbHwHOQYnNCIafM',
      y: 'R0cJGudyxBeQI237TgcThc6ehRDqyLzMAHvsmjFTsto',
      crv: 'P-256',
      d: '998JSR-nltEofxp1wGjQQi48LJxBsC3iga1_1P7UZ9c'
    }
  },
  other: {
    HS256: 'other-key-of-an-attacker-of-HS256',
    HS512: 'other-key-of-an-attacker-of-HS512-has-sixty-four-characters-too!',
    RS256: {
      kty: 'RSA',
      n: '17CMUpMEmKZyl8u6jraHyIgcRgO-ja8IvMEblUhbsDN25exgVi7Xh37M-WpGnJIof99StFpj79bZPiZUelXH-KBQIqWG8mA7byG01HuNShlcoIywIz9wFsdyU607yhRXrnZ-P2HiHh45kImcqUQsLKdoWIG_1TWDaK37EMkuYYT413FHGwivIPCvvmmqwXbCCK5CSks5gh2M_anYTR4bI2aOUZsKjSaLiS3XPtVl7YF4iG2PiL0WJ99QZ60cje2Jqz-wUd5reV1C0hGNVn359bG22bAPZph_abYxQ-HQWMu713YxtvZ6sV0jmhpl7xX9gS4fvaANeqQU6rA8xDY9Ew',
      e: 'AQAB',
      d: 'WKQkTw0_jtKc9phR_7OxIu8ZG4cPaV_9ScFc6iF2GPhVjVFzGAghKHyqlXghM9h3T3ICpb8eIiOcXUfYYPxe9eVAebSoPHTjCB2EmOx72O-KWyrmel3oXVwzNoNTto1cqYTmBnteN715L9b2LLQpKWLVZcZRBbj72-nga_oaFxYTAYqnHhPNOlFGOKzo4c6bVTLsf9V33_iUnMxIKBD54kbMY5vQmDQt_ov26G6Dtq15hZk2g7tEDrUosSZRu7P1_7dzuNdb6j0bMsbH50qnoELicP8rNgDaU23NHL5pi_Lm_SkZJH2CvCSUm62tn-OSL9t9gBIg2PGiS0QDZyA2sQ',
      p: '81sT9DGeXugXJhrjIjamnl4Z6uKVsRj8SWHMWe_oFkyxfFO03DpdPakDK5C5bTDspwVRllG9_WC2JY5KonwckZPJTucoYv37d9aIjh28BL7Q1wvlKzEsAsXvyq5hbWJHjTUG2AZpgijgpS9t9hcYWCla6n0N_QbfuoRW9pvpe-M',
      q: '4uV6RjYHvW_YVIVq40nC_OvmPkHpyLUDPfp1ei27meMjUhkx_DuAYrLfG29TT_6WFKY1ZxstgG3XXoY57OI7osYodcOXLYWHPO7dhbI7_yhDuSJlAHShdZH3ZK691AP07M7LIG-j6xKgnWGUVZhmtlQ4kwR0pbxAYVRvD_psYRE',
      dp: 'Kty01ALVSRQJ171Omh0UFbqvR-6mvO2QqgAetQyLTTou3J4FsfBZsd2N4GN6NWAznmtSZm55TyJ0koLQZHQFuCJWh54xP9ZKL15K6PUVw6Q0Nlwy_fuIK-jfBkzWfiScQ6O-U9g1RyaaAp4q-PgyYnzONZTXHOTUDQ74HjFx208',
      dq: 'xx-TJokGU-cTGGIaQywZtnOklaCs9hp9pOfoL3hxOoVPGx7HclAZxQSrrl0N5ZdMyQRwu3LrhNlg-DCeJ1kH8zsqiOdFBos3-2659DpOUwhYHuKjdznj9NVMIw0DxUxPp394Xpf7aDLpyBS55ECia4MQP13arRS__2rlKUWh1bE',
      qi: 'WDYxUvtPwstIQcgShl24wOzvtYJAA7AhEnPbM6gLcKH5sFVNHIVakzHi6z_LPZNM5Z_2l88OMIJAn0w7zfrpuqerikf5SeuKiBMdtuTttCpQFZCwJ2SQwR72ke5yZQ_H9r77cBqqREmI7jXDUXKO1OeVVNqUI-jarqaui4aEI6A'
    },
    ES256: {
      kty: 'EC',
      x: '5cmt1Jg-qwu-YomxWgjJwrawwJ-IIkeBmC351FGv3PI',
      y: 'bMFVst9gujmgZmsEqrLexCKadq7XXwQZgS35AYPQX6o',
      crv: 'P-256',
      d: 'Z0QGLYjqnvQZUHG2Eiih7-ltR7ZqjI3aUCSfrpr-tOc'
    }
  }
}

/** Returns a published test key: `own` is the server's, `other` is an attacker's. */
export function testKey(owner: 'own' | 'other', alg: Algorithm): KeyObject {
  const key: string | JsonWebKey = KEYS[owner][alg]
  return typeof key === 'string' ? createSecretKey(key, 'utf8') : createPrivateKey({ key, format: 'jwk' })
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
