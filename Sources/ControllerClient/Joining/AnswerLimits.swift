package import ControllerSession

/// How long a host may take to open, to greet, and to say anything at all about an invitation.
package struct AnswerLimits: Hashable, Sendable {
    package var opening = Duration.seconds(5)
    package var greeting = Duration.seconds(5)
    package var answer = Duration.seconds(10)

    package init() {}

    /// Those of a return: longer for a host that was too slow the times before.
    package init(_ plan: ReturnPlan) {
        (opening, greeting, answer) = (plan.stretched(opening), plan.stretched(greeting), plan.stretched(answer))
    }
}
