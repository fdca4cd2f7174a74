import Catalogue
import Concurrency
import HTTP
import JSON
import Logging
import Timeline

extension AdminAPI {
    private var reader: ChannelReader {
        ChannelReader(
            defaultRetentionSeconds: configuration.defaultRetentionSeconds,
            refusalOfAddress: configuration.refusalOfAddress)
    }

    /// Creates a channel: its form and addresses are checked, and nothing is fetched.
    func createChannel(_ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try Query(request, knows: [])
        let settings = try reader.settings(from: try Self.document(in: request, types: [.json]))
        let channel = try await catalogue.create(settings)
        report("Channel created", channel.id)
        await updateRecordingSpan(of: channel.row, channel.id, isOn: settings.recording)
        return Self.response(of: channel, status: .created)
    }

    /// Replaces a channel, or creates it when there is none.
    func putChannel(_ id: ChannelID, _ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try Query(request, knows: [])
        let settings = try reader.settings(from: try Self.document(in: request, types: [.json]), path: id)
        return try await changing(id, request) { current, version in
            guard let current else {
                let created = try await self.catalogue.create(settings)
                self.report("Channel created", id)
                await self.updateRecordingSpan(of: created.row, id, isOn: settings.recording)
                return Self.response(of: created, status: .created)
            }
            let replaced = try await self.catalogue.replace(settings, version: version)
            self.reportChange(from: current.version, to: replaced)
            await self.updateRecordingSpan(of: replaced.row, id, isOn: replaced.settings.recording)
            return Self.response(of: replaced)
        }
    }

    /// Changes the fields that a merge patch names.
    func patchChannel(_ id: ChannelID, _ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try Query(request, knows: [])
        let patch = try Self.document(in: request, types: [.mergePatch, .json])
        return try await changing(id, request) { current, _ in
            guard let current = try current?.channel.get() else { throw Problem.noChannel(id) }
            let document = ChannelDocument.document(of: current.settings)
            let settings = try self.reader.settings(
                from: try ChannelPatch.applied(patch, to: document), path: id,
                stored: current.settings.sources.map(\.url))
            let changed = try await self.catalogue.replace(settings, version: current.version)
            self.reportChange(from: current.version, to: changed)
            await self.updateRecordingSpan(of: changed.row, id, isOn: changed.settings.recording)
            return Self.response(of: changed)
        }
    }

    /// Runs a change on the current version, and repeats it after a conflict unless the request's conditions
    /// forbid that.
    ///
    /// The change receives the channel, nil when there is none, and the version that the request requires. A
    /// channel whose settings cannot be read is there, so that it can be replaced or deleted.
    func changing(
        _ id: ChannelID, _ request: HTTPRequest,
        _ change: (_ current: StoredChannel?, _ version: Int64?) async throws -> HTTPResponse,
    ) async throws -> HTTPResponse {
        let conditions = try Conditions(of: request)
        for attempt in 1...Limits.changeAttempts {
            let found = try await catalogue.storedChannel(id)
            let current = found.flatMap { $0.isDeleted ? nil : $0 }
            guard conditions.outcome(for: current?.entityTag) == .proceed else { throw Self.staleVersion }
            do {
                return try await change(current, conditions.requiresVersion ? current?.version : nil)
            } catch let error as CatalogueError where error.isWriteConflict && attempt < Limits.changeAttempts
            {
                continue
            }
        }
        throw Self.staleVersion
    }

    /// Begins or ends the recording span of a channel now: outside of a span nothing is a gap.
    ///
    /// A recorder does the same when it sees the change. But there may be no recorder, and it does not see a
    /// change that is undone at once. A failure is only logged: the request has succeeded.
    func updateRecordingSpan(of row: Int32, _ id: ChannelID, isOn: Bool) async {
        do {
            if isOn {
                try await catalogue.resumeRecording(channel: row, at: clock.now())
            } else {
                try await catalogue.endRecording(channel: row, at: clock.now())
            }
        } catch {
            logger.warning(
                "The start or end of a recording could not be stored",
                metadata: ["channel": "\(id)", "error": "\(error)"])
        }
    }

    /// Logs a change, unless the request changed nothing.
    private func reportChange(from version: Int64, to new: Channel) {
        if new.version != version { report("Channel changed", new.id) }
    }

    private func report(_ change: Logger.Message, _ id: ChannelID) {
        logger.info(change, metadata: ["channel": "\(id)"])
    }

    static func document(in request: HTTPRequest, types: Set<MediaType>) throws(Problem) -> JSONValue {
        let type = request.headers["Content-Type"].flatMap(MediaType.init(reading:))
        guard let type, types.contains(MediaType(type: type.type, subtype: type.subtype)) else {
            let names = types.map(\.essence).sorted().joined(separator: " or ")
            throw Problem(.unsupportedMediaType, "the body must be \(names)")
        }
        do {
            return try JSONReader.value(of: request.body)
        } catch {
            throw Problem(error)
        }
    }
}

extension MediaType {
    fileprivate static let mergePatch = MediaType(type: "application", subtype: "merge-patch+json")
}

extension CatalogueError {
    /// Whether another request created, deleted or changed the channel in the meantime.
    var isWriteConflict: Bool {
        switch self {
        case .staleVersion, .channelExists, .noSuchChannel: true
        case .unreadableSettings, .unreadable, .notInTime, .database, .factsRefused: false
        }
    }
}
