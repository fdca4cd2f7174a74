import Testing

@testable import Backcast

@Suite("Secrets")
struct SecretTests {
    @Test("no way of printing shows the text")
    func hidden() {
        let secret = Secret("s3cr3t")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\([secret])", dumped] {
            #expect(!text.contains("s3cr3t"))
        }
        #expect(secret.revealed == "s3cr3t")
    }
}
