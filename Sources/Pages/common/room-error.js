// What went wrong with a room, as games are told it.

/** Why a command was refused, or why there is no connection. `candidates`: whom an unclear `who` may mean. */
export class RoomError extends Error {
    constructor({ code = "unknown", message = "the room gave no reason", candidates = [] } = {}) {
        super(message);
        Object.assign(this, { name: "RoomError", code, candidates });
    }
}
