import HTTP
import Testing

@testable import LiveOrigin

@Suite("Control requests")
struct ControlRequestTests {
    private func reading(_ text: String) throws -> ControlRequest {
        let isBody = text.hasPrefix("{")
        return try ControlRequest(
            HTTPRequest(
                method: .post, path: "/control", query: isBody ? nil : text,
                body: isBody ? Array(text.utf8) : []))
    }

    @Test(
        "Every fault can be requested by query and by JSON",
        arguments: [
            (
                "fault=hole&rendition=v0&count=3&mode=skip&discontinuity=false",
                Fault.hole(rendition: "v0", .init(form: .skip, count: 3, hasDiscontinuity: false))
            ),
            (
                #"{"fault":"hole"}"#,
                .hole(rendition: nil, .init(form: .missing, count: 1, hasDiscontinuity: true))
            ),
            (#"{"fault":"gap","count":2,"rendition":"a0"}"#, .gap(rendition: "a0", count: 2)),
            ("fault=fail&count=2&status=503", .fail(rendition: nil, .init(count: 2, status: 503))),
            (
                #"{"fault":"truncate","silent":true}"#,
                .truncate(rendition: nil, .init(count: 1, isSilent: true))
            ),
            ("fault=stall&seconds=2.5", .stall(seconds: 2.5)),
            (
                #"{"fault":"restart","discontinuity":true,"names":"fresh"}"#,
                .restart(.init(hasDiscontinuity: true, hasFreshNames: true))
            ),
            ("fault=end&seconds=3", .end(seconds: 3, .init())),
            ("fault=end&seconds=3&reset=false", .end(seconds: 3, nil)),
            ("fault=slow&rate=1000&seconds=9", .slow(bytesPerSecond: 1000, seconds: 9)),
            ("fault=html", .html(seconds: 10)),
            ("fault=late&rendition=v1&seconds=60", .late(rendition: "v1", seconds: 60)),
            ("fault=withdraw&rendition=v2", .withdraw(rendition: "v2", .init(seconds: 10, isNamed: false))),
            ("fault=keys&seconds=7", .keys(seconds: 7)),
            ("fault=down&seconds=1", .down(seconds: 1)),
            ("fault=date-jump&seconds=-7200", .dateJump(seconds: -7200)), ("fault=clear", .clear),
            ("fault=respell", .respell),
        ])
    func faults(text: String, expected: Fault) throws {
        #expect(try reading(text).action == .fault(expected))
    }

    @Test(
        "An unreadable parameter is refused by name",
        arguments: [
            ("fault=nonsense", "fault"), ("", "fault"), ("fault=hole&count=-1", "count"),
            ("fault=hole&count=99999999999999999999", "count"), ("fault=hole&mode=x", "mode"),
            ("fault=stall&seconds=nan", "seconds"), ("fault=stall&seconds=-1", "seconds"),
            ("fault=fail&status=700", "status"), ("fault=truncate&silent=maybe", "silent"), ("{", "body"),
        ])
    func refusals(text: String, name: String) {
        #expect {
            try reading(text)
        } throws: {
            ($0 as? ControlRequest.Refusal)?.reason.contains(name) == true
        }
    }

    @Test("The whole origin can refuse connections")
    func refusing() throws {
        #expect(try reading("fault=refuse&seconds=2").action == .refuseConnections(seconds: 2))
    }

    @Test("A command names a channel or applies to all")
    func channel() throws {
        #expect(try reading("fault=clear").channel == nil)
        #expect(try reading("fault=clear&channel=a%2Db").channel == "a-b")
    }
}
