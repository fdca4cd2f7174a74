package import JSON

/// Why a request is not answered as asked: an error, and its answer in the form of RFC 9457.
///
/// The type of every problem is `about:blank`: the status says what kind it is, and the title is the status's
/// phrase.
package struct Problem: Error, Sendable, Equatable {
    package var status: HTTPStatus
    /// What is wrong in this case, in words for the person who sent the request; empty: that is not said.
    package var detail: String
    /// Members beside those of the standard (§3.2), in the order in which they are written.
    package var members: [JSONValue.Member]
    /// Header fields of the answer that belong to the problem, such as Retry-After.
    package var headers: HTTPHeaders

    package init(
        _ status: HTTPStatus, _ detail: String, members: [JSONValue.Member] = [],
        headers: HTTPHeaders = HTTPHeaders(),
    ) {
        self.status = status
        self.detail = detail
        self.members = members
        self.headers = headers
    }

    /// The problem as a JSON document.
    package var document: JSONValue {
        let standard: [JSONValue.Member] = [
            .init(name: "type", value: "about:blank"),
            .init(name: "title", value: .string(status.reason)),
            .init(name: "status", value: .integer(Int64(status.rawValue))),
        ]
        let said = detail.isEmpty ? [] : [JSONValue.Member(name: "detail", value: .string(detail))]
        return .object(standard + said + members)
    }

    /// The answer, which no cache keeps.
    ///
    /// `common` are the fields that every answer of the caller has; the problem's own replace them.
    package func response(_ common: HTTPHeaders = HTTPHeaders()) -> HTTPResponse {
        var fields = common
        fields["Content-Type"] = MediaType.problemJSON.fieldValue
        fields["Cache-Control"] = "no-store"
        for field in headers.fields { fields[field.name] = field.value }
        return HTTPResponse(status: status, headers: fields, body: .bytes(document.bytes))
    }
}

extension Problem {
    /// The same problem with one more member, for example the parameter that is wrong.
    package func with(_ name: String, _ value: JSONValue) -> Problem {
        var problem = self
        problem.members.append(.init(name: name, value: value))
        return problem
    }

    /// The same problem with the time after which a client may try again (RFC 9110 §10.2.3).
    package func retryable(afterSeconds seconds: Int) -> Problem {
        var problem = self
        problem.headers["Retry-After"] = String(seconds)
        return problem
    }
}
