import ArgumentParser
import DownloadAPI
import Downloader
import Foundation
import HTTP
import HTTPClient
import Logging

/// The process that holds a folder of downloads, as other processes reach it: over the socket in the folder.
final class Holder: Sendable {
    private let folder: FileHandle
    private let client: HTTPClient
    private let session: HTTPSession

    static func socketFile(of folder: String) -> String { "\(folder)/.backcast.sock" }

    /// Nil if no process answers in time.
    static func connect(_ folder: String, within limit: Duration = Limits.holderAnswerTimeout) async
        -> Holder?
    {
        guard FileManager.default.fileExists(atPath: socketFile(of: folder)),
            let handle = FileHandle(forReadingAtPath: folder)
        else { return nil }
        // Through the open folder, since the whole path may be longer than the address of a socket can be.
        let logger = Logger(label: "backcast") { _ in SwiftLogNoOpLogHandler() }
        var configuration = ClientConfiguration(logger: logger)
        configuration.runningTransfers = Limits.holderTransfers
        configuration.socketFile = "/proc/self/fd/\(handle.fileDescriptor)/.backcast.sock"
        guard let client = try? HTTPClient.open(configuration),
            let session = try? client.makeSession(SessionOptions(source: "http://localhost/"))
        else { return nil }
        let holder = Holder(handle, client, session)
        guard await holder.answers(within: limit) else {
            await client.close()
            return nil
        }
        return holder
    }

    private init(_ folder: FileHandle, _ client: HTTPClient, _ session: HTTPSession) {
        self.folder = folder
        self.client = client
        self.session = session
    }

    private func answers(within limit: Duration) async -> Bool {
        let body = try? await send(.get, HolderPath.page, within: limit)
        return body?.status == .ok
    }

    /// The URL of its page; nil where it has none.
    func page() async -> String? {
        guard let body = try? await send(.get, HolderPath.page) else { return nil }
        return try? JSONDecoder().decode([String: String?].self, from: Data(body.bytes))["page"] ?? nil
    }

    /// Asks the holder to pause, resume, cancel, retry or remove a task; returns the problem that it reports,
    /// if any.
    ///
    /// The answer comes when the task has stopped.
    func act(_ action: String, on id: String) async throws -> (problem: String?, status: HTTPStatus) {
        let body =
            action == "remove"
            ? try await send(
                HTTPMethod(rawValue: "DELETE"), "/downloads/\(id)", within: Limits.holderStopTimeout)
            : try await send(.post, "/downloads/\(id)/\(action)", within: Limits.holderStopTimeout)
        return (Self.problem(of: body), body.status)
    }

    /// Tasks as they are now, by id; those that the holder does not have are left out.
    func tasks(_ ids: Set<String>) async -> [String: DownloadTask] {
        var (found, unanswered) = ([String: DownloadTask](), ids)
        // The holder sends all tasks first, and then their changes.
        try? await follow(for: Limits.holderAnswerTimeout) { change in
            switch change {
            case .task(let task) where ids.contains(task.id):
                found[task.id] = task
                unanswered.remove(task.id)
            case .removed(let id):
                found[id] = nil
                unanswered.remove(id)
            default: break
            }
            return unanswered.isEmpty
        }
        return found
    }

    /// Whether the holder has a task; true where it does not say.
    func has(_ id: String) async -> Bool {
        let body = try? await send(.get, "/downloads/\(id)", within: Limits.holderAnswerTimeout)
        return body?.status != .notFound
    }

    func close() async { await client.close() }

    /// Takes every task and each change until a body has enough, or the holder ends.
    ///
    /// A change is nil if the holder has sent an empty line to keep the connection alive.
    func follow(for limit: Duration, _ hasEnough: (TaskChange?) async -> Bool) async throws {
        var options = Self.options
        options.totalTimeout = limit
        options.lowSpeedLimit = 0
        options.chunkDelay = .zero
        options.byteLimit = .max
        var transfer = try await session.open("http://localhost\(HolderPath.tasks)", options)
        var rest = Data()
        while let chunk = try await transfer.nextChunk() {
            rest += Data(chunk)
            while let end = rest.firstIndex(of: 0x0A) {
                let line = rest[rest.startIndex..<end]
                let change = line.isEmpty ? nil : Self.change(line)
                rest = Data(rest[rest.index(after: end)...])
                if line.isEmpty || change != nil, await hasEnough(change) { return }
            }
        }
    }

    /// The change in a line; nil if the line is empty or from a later version.
    private static func change(_ line: Data) -> TaskChange? {
        if let task = try? JSONDecoder().decode(DownloadTask.self, from: line) { return .task(task) }
        let removed = try? JSONDecoder().decode([String: String].self, from: line)
        return removed?["removed"].map { .removed(id: $0) }
    }

    private static let options = TransferOptions(byteLimit: 1 << 20, totalTimeout: .seconds(60))

    /// With a limit, the holder may take all of that time before it answers.
    func send(
        _ method: HTTPMethod, _ path: String, _ body: Data? = nil, within limit: Duration? = nil,
    ) async throws -> FetchedBody {
        var options = Self.options
        if let limit {
            options.totalTimeout = limit
            options.lowSpeedLimit = 0
        }
        options.method = method
        options.body = body.map { Array($0) } ?? (method == .post ? [] : nil)
        options.headers = ["X-Backcast": "1"]
        return try await session.fetch("http://localhost\(path)", options)
    }

    static func problem(of body: FetchedBody) -> String? {
        guard body.status.rawValue >= 400 else { return nil }
        let object = try? JSONSerialization.jsonObject(with: Data(body.bytes)) as? [String: Any]
        return object?["detail"] as? String ?? "status \(body.status.rawValue)"
    }
}
