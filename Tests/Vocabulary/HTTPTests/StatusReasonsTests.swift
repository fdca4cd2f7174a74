import HTTP
import Testing

struct StatusReasonsTests {
    @Test(
        "Codes have the registry's phrases",
        arguments: [
            (HTTPStatus.methodNotAllowed, 405, "Method Not Allowed"),
            (.contentTooLarge, 413, "Content Too Large"),
            (.rangeNotSatisfiable, 416, "Range Not Satisfiable"),
            (.misdirectedRequest, 421, "Misdirected Request"),
            (.serviceUnavailable, 503, "Service Unavailable"),
            (HTTPStatus(rawValue: 431), 431, "Request Header Fields Too Large"),
            (HTTPStatus(rawValue: 599), 599, "Status 599"),
        ])
    func reasons(status: HTTPStatus, code: Int, reason: String) {
        #expect(status.rawValue == code)
        #expect(status.reason == reason)
    }
}
