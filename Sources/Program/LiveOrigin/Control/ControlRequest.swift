import Foundation
import HTTP

/// A control request: `fault=…` and its parameters, from the query or a flat JSON object.
struct ControlRequest: Sendable {
    var channel: String?
    var action: Action

    /// The requested action.
    enum Action: Sendable, Equatable {
        case fault(Fault)
        /// The origin stops listening for these seconds.
        case refuseConnections(seconds: Double)
    }

    /// Why a control request was refused.
    struct Refusal: Error, Equatable {
        var reason: String
    }

    /// Reads the JSON body if there is one, else the query.
    init(_ request: HTTPRequest) throws {
        let values = try request.body.isEmpty ? Self.query(request.query ?? "") : Self.json(request.body)
        channel = values["channel"]
        let parameters = Parameters(values: values)
        action =
            values["fault"] == "refuse"
            ? .refuseConnections(seconds: try parameters.seconds()) : .fault(try Self.fault(parameters))
    }

    private static func json(_ body: [UInt8]) throws -> [String: String] {
        guard let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else {
            throw Refusal(reason: "the body is not a JSON object")
        }
        return object.mapValues { value in
            if let text = value as? String { return text }
            let data = try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
            return String(decoding: data ?? Data(), as: UTF8.self)
        }
    }

    private static func query(_ query: String) -> [String: String] {
        var values: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first else { continue }
            values[String(name)] = parts.count == 2 ? String(parts[1]).removingPercentEncoding ?? "" : ""
        }
        return values
    }

    private static func fault(_ parameters: Parameters) throws -> Fault {
        let rendition = parameters.values["rendition"]
        switch parameters.values["fault"] {
        case "hole": return .hole(rendition: rendition, try hole(parameters))
        case "gap": return .gap(rendition: rendition, count: try parameters.count())
        case "fail":
            let status = try parameters.integer("status", 404, in: 200...599)
            return .fail(rendition: rendition, .init(count: try parameters.count(), status: status))
        case "truncate":
            let isSilent = try parameters.boolean("silent", false)
            return .truncate(rendition: rendition, .init(count: try parameters.count(), isSilent: isSilent))
        case "late": return .late(rendition: rendition, seconds: try parameters.seconds())
        case "stall": return .stall(seconds: try parameters.seconds())
        case "restart": return .restart(try restart(parameters))
        case "end":
            let restart = try parameters.boolean("reset", true) ? try restart(parameters) : nil
            return .end(seconds: try parameters.seconds(), restart)
        case "slow":
            let rate = try parameters.integer("rate", 10_000, in: 1...1_000_000_000)
            return .slow(bytesPerSecond: rate, seconds: try parameters.seconds())
        case "html": return .html(seconds: try parameters.seconds())
        case "down": return .down(seconds: try parameters.seconds())
        case "keys": return .keys(seconds: try parameters.seconds())
        case "withdraw":
            let isNamed = try parameters.boolean("named", false)
            return .withdraw(
                rendition: rendition, .init(seconds: try parameters.seconds(), isNamed: isNamed))
        case "date-jump": return .dateJump(seconds: try parameters.number("seconds", 3600))
        case "respell": return .respell
        case "clear": return .clear
        default:
            throw Refusal(
                reason: "fault: hole, gap, fail, truncate, late, stall, restart, end, slow, html, down, "
                    + "keys, withdraw, refuse, date-jump, respell or clear")
        }
    }

    private static func hole(_ parameters: Parameters) throws -> RenditionState.Hole {
        guard let form = RenditionState.Hole.Form(rawValue: parameters.values["mode"] ?? "404") else {
            throw Refusal(reason: "mode: 404, skip or jump")
        }
        return RenditionState.Hole(
            form: form, count: try parameters.count(),
            hasDiscontinuity: try parameters.boolean("discontinuity", true))
    }

    private static func restart(_ parameters: Parameters) throws -> PublisherCommand.Restart {
        PublisherCommand.Restart(
            hasDiscontinuity: try parameters.boolean("discontinuity", false),
            hasFreshNames: parameters.values["names"] == "fresh")
    }
}
