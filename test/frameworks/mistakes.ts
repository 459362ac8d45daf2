// Mistakes that people make: where somebody tells of one, a comment says where.

/** A mistake that people make with a framework. */
export interface Mistake {
  name: string
  /** The clause that it breaks. */
  clause: string
  /** What stands in the conforming server, once, and what the mistake makes of it. */
  edits: Record<string, string>
}

/** A conforming server in a framework, and what people do wrong in it. */
export interface Framework {
  name: string
  /** The source, in the folder of its toolchain. */
  file: string
  /** The algorithm of its JWTs; none when its tokens are opaque. */
  algorithm?: 'HS256' | 'RS256' | 'ES256'
  mistakes: Mistake[]
}

const express: Framework = {
  name: 'Express',
  file: 'server.js',
  algorithm: 'HS256',
  mistakes: [
    {
      name: 'the guard is mounted on a path, so that unknown routes are 404',
      clause: '4 all other routes',
      edits: { 'app.use((req, res, next) => {': "app.use('/menu', (req, res, next) => {" }
    },
    {
      name: 'jwt.decode, which verifies nothing',
      clause: '5.3.2',
      edits: {
        "jwt.verify(token, SECRET, { algorithms: ['HS256'] })": 'jwt.decode(token) ?? jwt.verify(token)'
      }
    },
    {
      name: 'a token of which the verification fails is 403',
      clause: '7 invalid token',
      edits: { 'res.sendStatus(401)': 'res.sendStatus(token ? 403 : 401)' }
    },
    {
      name: 'what follows the first space of the header is the token, whatever stands before it',
      clause: '5.1',
      edits: { "    if (scheme.toLowerCase() !== 'bearer') throw new Error('no token')\n": '' }
    },
    {
      name: 'express.json() before the guard, so that a broken body is 400',
      clause: '7 missing token',
      edits: { 'const app = express()\n': 'const app = express()\napp.use(express.json())\n' }
    }
  ]
}

const fastapi: Framework = {
  name: 'FastAPI',
  file: 'app.py',
  mistakes: [
    {
      // fastapi#1304, #1125, #4653
      name: 'an HTTPException in a middleware, which becomes 500',
      clause: '7 missing token',
      edits: {
        'import FastAPI, Request, Response': 'import FastAPI, HTTPException, Request, Response',
        'return Response(status_code=401)': 'raise HTTPException(status_code=401)'
      }
    },
    {
      name: '/docs and /openapi.json are open',
      clause: '4 all other routes',
      edits: {
        'if request.url.path != "/auth/login" or request.method not in ("GET", "POST"):':
          'if request.url.path not in ("/auth/login", "/docs", "/openapi.json") or request.method not in ("GET", "POST"):'
      }
    },
    {
      name: 'response_model_exclude_none, so that the error of a success is missing',
      clause: '2.2 error',
      edits: {
        'response_model=AuthResponse': 'response_model=AuthResponse, response_model_exclude_none=True'
      }
    },
    {
      name: 'a rejection is an HTTPException, with nothing but a detail',
      clause: '2.2 success',
      edits: {
        'import FastAPI, Request, Response': 'import FastAPI, HTTPException, Request, Response',
        'return AuthResponse(success=False, error="Wrong user or password")':
          'raise HTTPException(status_code=401, detail="Wrong user or password")'
      }
    },
    {
      name: 'the guard is a dependency of the routes, so that unknown ones are 404',
      clause: '4 all other routes',
      edits: {
        'import FastAPI, Request, Response': 'import Depends, FastAPI, HTTPException, Request',
        '@app.middleware("http")\nasync def guard(request: Request, call_next):\n':
          'def guard(request: Request):\n',
        'return Response(status_code=401)': 'raise HTTPException(status_code=401)',
        '    return await call_next(request)\n': '',
        '@app.get("/menu/main")': '@app.get("/menu/main", dependencies=[Depends(guard)])'
      }
    }
  ]
}

const netHttp: Framework = {
  name: 'Go net/http',
  file: 'main.go',
  algorithm: 'RS256',
  mistakes: [
    {
      name: 'TrimPrefix takes off a Bearer that need not be there',
      clause: '5.1',
      edits: {
        'scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")':
          'token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")',
        'err != nil || !strings.EqualFold(scheme, "Bearer")': 'err != nil'
      }
    },
    {
      name: 'ParseUnverified, which verifies nothing',
      clause: '5.3.2',
      edits: {
        '_, err := jwt.ParseWithClaims(token, &user, publicKey, jwt.WithValidMethods([]string{"RS256"}))':
          '_, _, err := jwt.NewParser().ParseUnverified(token, &user)'
      }
    },
    {
      name: 'omitempty, so that the error of a success is missing',
      clause: '2.2 error',
      edits: { '`json:"error"`': '`json:"error,omitempty"`' }
    },
    {
      name: 'no return after the 401, so that the screen follows',
      clause: '5.3.3',
      edits: {
        '\t\t\tw.WriteHeader(http.StatusUnauthorized)\n\t\t\treturn\n':
          '\t\t\tw.WriteHeader(http.StatusUnauthorized)\n'
      }
    },
    {
      // gosec G108
      name: 'net/http/pprof is imported, and its routes are not guarded',
      clause: '4 all other routes',
      edits: {
        '\t"net/http"\n': '\t"net/http"\n\t_ "net/http/pprof"\n',
        'if r.URL.Path == "/auth/login"':
          'if strings.HasPrefix(r.URL.Path, "/debug/") || r.URL.Path == "/auth/login"'
      }
    }
  ]
}

const spring: Framework = {
  name: 'Spring Boot',
  file: 'Server.java',
  algorithm: 'ES256',
  mistakes: [
    {
      // spring-security#12599, #14120, #4250
      name: 'permitAll alone, so that the login with a stale token is 401',
      clause: '5.2',
      edits: {
        'return request -> request.getServletPath().equals("/auth/login") ? null : resolver.resolve(request);':
          'return resolver;'
      }
    },
    {
      name: 'Http403ForbiddenEntryPoint, the one where none is chosen',
      clause: '7 missing token',
      edits: {
        '        .csrf(csrf -> csrf.disable())\n':
          '        .csrf(csrf -> csrf.disable())\n        .exceptionHandling(e -> e.authenticationEntryPoint(\n            new org.springframework.security.web.authentication.Http403ForbiddenEntryPoint()))\n'
      }
    },
    {
      name: 'the protection from CSRF refuses the login',
      clause: '4 POST /auth/login',
      edits: { '        .csrf(csrf -> csrf.disable())\n': '' }
    },
    {
      name: '/actuator/** is open',
      clause: '4 all other routes',
      edits: {
        '            .anyRequest()':
          '            .requestMatchers("/actuator/**").permitAll()\n            .anyRequest()'
      }
    },
    {
      name: '/error is open',
      clause: '4 all other routes',
      edits: {
        '            .anyRequest()':
          '            .requestMatchers("/error").permitAll()\n            .anyRequest()'
      }
    }
  ]
}

/** The frameworks, by the toolchain that they need. */
export const frameworks = {
  node: express,
  python: fastapi,
  go: netHttp,
  java: spring
}
