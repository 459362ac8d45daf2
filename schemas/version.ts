/** The version of the contract that everything published describes. It is in each `$id`. */
export const CONTRACT_VERSION = '1'

/** The version of the published data: schemas, OpenAPI documents and the files of the conformance kit. */
export const DATA_VERSION = '1.0.0'
