/// A status code (RFC 9110 §15).
package struct HTTPStatus: Hashable, Sendable, RawRepresentable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    package static let ok = HTTPStatus(rawValue: 200)
    package static let created = HTTPStatus(rawValue: 201)
    package static let accepted = HTTPStatus(rawValue: 202)
    private static let nonAuthoritativeInformation = HTTPStatus(rawValue: 203)
    package static let noContent = HTTPStatus(rawValue: 204)
    package static let partialContent = HTTPStatus(rawValue: 206)
    package static let found = HTTPStatus(rawValue: 302)
    package static let notModified = HTTPStatus(rawValue: 304)
    package static let badRequest = HTTPStatus(rawValue: 400)
    package static let unauthorized = HTTPStatus(rawValue: 401)
    package static let forbidden = HTTPStatus(rawValue: 403)
    package static let notFound = HTTPStatus(rawValue: 404)
    package static let methodNotAllowed = HTTPStatus(rawValue: 405)
    package static let conflict = HTTPStatus(rawValue: 409)
    package static let gone = HTTPStatus(rawValue: 410)
    package static let preconditionFailed = HTTPStatus(rawValue: 412)
    package static let contentTooLarge = HTTPStatus(rawValue: 413)
    package static let unsupportedMediaType = HTTPStatus(rawValue: 415)
    package static let rangeNotSatisfiable = HTTPStatus(rawValue: 416)
    package static let misdirectedRequest = HTTPStatus(rawValue: 421)
    package static let requestHeaderFieldsTooLarge = HTTPStatus(rawValue: 431)
    package static let internalServerError = HTTPStatus(rawValue: 500)
    package static let notImplemented = HTTPStatus(rawValue: 501)
    package static let serviceUnavailable = HTTPStatus(rawValue: 503)

    /// Whether an answer to GET has the whole content: 200, or 203 of a proxy that has transformed it
    /// (RFC 9110 §15.3.4).
    package var hasWholeContent: Bool { self == .ok || self == .nonAuthoritativeInformation }
}
