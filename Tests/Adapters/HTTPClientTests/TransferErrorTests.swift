import Testing

@testable import HTTPClient

struct TransferErrorTests {
    @Test(
        "Only errors that may pass without a change are transient",
        arguments: [
            (TransferError.timedOut(.head), true), (.connectionFailed("x"), true),
            (.truncated(received: 1, expected: 2), true), (.queueFull(limit: 1), true), (.notStarted, true),
            (.tls("handshake", isCertificate: false), true), (.tls("expired", isCertificate: true), false),
            (.cancelled, false), (.closed, false), (.badRequest("x"), false), (.schemeRefused("file"), false),
            (.addressRefused(host: "a", address: "b", .metadata), false),
            (.tooManyRedirects(limit: 5), false),
            (.tooLarge(limit: 1), false), (.headTooLarge(limit: 1), false),
        ])
    func transience(error: TransferError, isTransient: Bool) {
        #expect(error.isTransient == isTransient)
    }

    @Test("An error describes what happened and where")
    func words() {
        #expect(
            TransferError.addressRefused(host: "a.example", address: "169.254.169.254", .metadata).description
                == "a.example is 169.254.169.254: a cloud metadata address")
        #expect(
            TransferError.truncated(received: 3, expected: 9).description
                == "the body ended after 3 of 9 bytes")
    }
}
