import Concurrency
import HTTP
import HTTPClient
import JSON
import Logging

/// The admin API of a service, as its client sees it.
struct AdminClient {
    private let session: HTTPSession
    private let root: String

    /// Carries out a command; every failure ends the program with its exit status.
    static func run(
        _ flags: AdminFlags, _ command: (AdminClient) async throws(AdminFailure) -> Void
    ) async throws {
        ProcessLimits.setSignals()
        do throws(AdminFailure) {
            let (address, token) = (try flags.address(), try flags.token())
            let client = try opened()
            let result = await Result { () async throws(AdminFailure) in
                try await command(try AdminClient(client, address, token))
            }
            await client.close()
            try result.get()
        } catch {
            throw DownloadCommand.failure(error.reason, status: error.status)
        }
    }

    private static func opened() throws(AdminFailure) -> HTTPClient {
        let logger = Logger(label: "backcast") { _ in SwiftLogNoOpLogHandler() }
        do {
            return try HTTPClient.open(ClientConfiguration(logger: logger))
        } catch {
            throw .unreachable("\(error)")
        }
    }

    private init(_ client: HTTPClient, _ address: String, _ token: String) throws(AdminFailure) {
        root = address + "/api/v1/"
        do {
            session = try client.makeSession(
                SessionOptions(source: root, headers: ["Authorization": "Bearer \(token)"]))
        } catch {
            throw .arguments("\(error)")
        }
    }

    /// The document of an answer; nil when there is none (204).
    @discardableResult
    func send(
        _ method: HTTPMethod, _ path: String, _ content: JSONValue? = nil,
        type: String = "application/json"
    ) async throws(AdminFailure) -> JSONValue? {
        var options = TransferOptions(
            byteLimit: Limits.adminAnswerBytes, method: method, body: content?.bytes,
            totalTimeout: Limits.adminTimeout)
        // An answer may take as long as `totalTimeout`, without a byte before it.
        options.lowSpeedLimit = 0
        if content != nil { options.headers["Content-Type"] = type }
        let answer: FetchedBody
        do {
            answer = try await session.fetch(root + path, options)
        } catch {
            throw .unreachable("\(error)")
        }
        let document = try? JSONReader.value(of: answer.bytes)
        guard (200..<300).contains(answer.status.rawValue) else {
            let reason = Self.reason(document, status: answer.status.rawValue)
            throw answer.status == .notFound ? .notFound(reason) : .refused(reason)
        }
        guard document != nil || answer.bytes.isEmpty else {
            throw .refused("the answer is not JSON: there is no Backcast service at this address")
        }
        return document
    }

    /// All items of a list, page by page; one with more than `Limits.listedItems` is refused.
    func items(_ path: String) async throws(AdminFailure) -> [JSONValue] {
        var items: [JSONValue] = []
        var cursor: String?
        repeat {
            let query = cursor.map { "?cursor=\(PercentEncoding.encoded($0))" } ?? ""
            let page = try await send(.get, path + query)
            guard case .array(let found)? = page?["items"] else {
                throw .refused("the answer is not a list: there is no Backcast service at this address")
            }
            items += found
            // A page without items has none after it.
            cursor = found.isEmpty ? nil : page?["next_cursor"]?.text
            guard items.count <= Limits.listedItems else {
                throw .refused("the list has more than \(Limits.listedItems) items")
            }
        } while cursor != nil
        return items
    }

    /// What a problem document says (RFC 9457).
    private static func reason(_ problem: JSONValue?, status: Int) -> String {
        let message = problem?["detail"]?.text ?? problem?["title"]?.text
        return message.map { PrintableText.line($0) } ?? "the server answered with status \(status)"
    }
}
