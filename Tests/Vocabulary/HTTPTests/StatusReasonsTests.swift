import HTTP
import Testing

struct StatusReasonsTests {
    @Test(
        "Codes have the registry's phrases",
        arguments: [
            (HTTPStatus.methodNotAllowed, 405, "Method Not Allowed"),
            (.tooManyRequests, 429, "Too Many Requests"),
            (.headerFieldsTooLarge, 431, "Request Header Fields Too Large"),
            (.badGateway, 502, "Bad Gateway"),
            (.gatewayTimeout, 504, "Gateway Timeout"), (.contentTooLarge, 413, "Content Too Large"),
            (HTTPStatus(rawValue: 599), 599, "Status 599"),
        ])
    func reasons(status: HTTPStatus, code: Int, reason: String) {
        #expect(status.rawValue == code)
        #expect(status.reason == reason)
    }

    @Test("Success is 2xx", arguments: [(199, false), (200, true), (206, true), (299, true), (304, false)])
    func success(code: Int, isSuccess: Bool) {
        #expect(HTTPStatus(rawValue: code).isSuccess == isSuccess)
    }
}
