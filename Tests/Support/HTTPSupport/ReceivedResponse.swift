import Foundation
package import HTTP
import TestSupport

/// A response as a client has received it, with its whole body.
package struct ReceivedResponse: Sendable {
    package var status: Int
    package var headers = HTTPHeaders()
    package var body: [UInt8] = []

    package init(status: Int) {
        self.status = status
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as Foundation reads it: another reader of JSON than the one under test.
    package var json: [String: Any] {
        get throws {
            guard let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else {
                throw TestFailure("no JSON object but \(status): \(text)")
            }
            return object
        }
    }

    /// The members of a problem document (RFC 9457); empty when this is none.
    package var problem: [String: Any] {
        headers["Content-Type"] == "application/problem+json" ? (try? json) ?? [:] : [:]
    }

    /// Whether it is a problem with this status and everything that our problems have.
    package func isProblem(_ code: Int) -> Bool {
        let members = problem
        return status == code && members["status"] as? Int == code && members["title"] is String
            && members["type"] is String && members["detail"] is String
    }
}
