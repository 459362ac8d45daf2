/** An OpenAPI document of a host, as far as it is used here. The host's `transformObject` may have taken parts away. */
export interface OpenApi {
  openapi: string
  paths?: Record<string, PathItem | null>
  components?: { schemas?: Record<string, Schema>; securitySchemes?: Record<string, object> }
}

export interface Schema {
  title?: string
  description?: string
  type?: string | string[]
  nullable?: boolean
}

/** Operations by method, beside a few other properties. */
type PathItem = Record<string, unknown> & { additionalOperations?: Record<string, unknown> }

interface Operation {
  security?: object[]
  responses?: Record<string, object>
}

/** The operations of a document, with their paths and methods; what else a path has looks like one of another method. */
export function operationsOf({ paths = {} }: OpenApi) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries({ ...item, ...item?.additionalOperations }).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation: operation as Operation
    }))
  )
}
