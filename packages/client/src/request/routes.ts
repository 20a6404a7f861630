import type * as api from '@ambit/api';

/**
 * The types of each route by its method and its path, such as `GET /skills/:id`. What a route does not have is `undefined`.
 * - `params`: the parameters of the path. A string is one segment, whatever it contains. `path` stands for the `*` at the end
 *   of a path, and can be a list of segments.
 * - `query`: numbers and booleans may be values instead of text.
 * - `body`: JSON. Fields that are `undefined` are not sent.
 * - `response`: the JSON of a response.
 */
export type Routes = api.Routes;

/** A route by its method and its path. */
export type Route = keyof Routes;

/** A route whose response is a JSON object. */
export type JsonRoute = {
  [Name in Route]: [Extract<ResponseBody<Name>, undefined | readonly unknown[]>] extends [never]
    ? Name
    : never;
}[Route];

/** The JSON body of a route's request. */
export type RequestBody<Name extends Route> = Routes[Name]['body'];

/** The query of a route's request. */
export type RequestQuery<Name extends Route> = Routes[Name]['query'];

/** The JSON of a route's response. */
export type ResponseBody<Name extends Route> = Routes[Name]['response'];

/** A field that every JSON response of a route has. */
export type ResponseField<Name extends Route> = {
  [Each in Route]: RequiredKey<ResponseBody<Each>> & string;
}[Name];

type RequiredKey<Body> = keyof {
  [Each in keyof Body as object extends Pick<Body, Each> ? never : Each]: never;
};
