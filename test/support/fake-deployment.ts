import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen, stop } from '../../local/http.ts';

export interface FakeDeployment {
  /** Environment variables that send calls of CloudFormation and Lambda to it. */
  env: Record<string, string>;
  close: () => Promise<void>;
}

/**
 * Plays CloudFormation with one stack, and a Lambda whose functions all have this environment.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html
 */
export async function fakeDeployment(
  stack: string,
  outputs: Record<string, string>,
  environment: Record<string, string>,
): Promise<FakeDeployment> {
  const server = createServer((request, response) => {
    void text(request).then(body => {
      if (request.url?.endsWith('/configuration')) {
        response.end(JSON.stringify({ Environment: { Variables: environment } }));
        return;
      }
      const isKnown = new URLSearchParams(body).get('StackName') === stack;
      response.writeHead(isKnown ? 200 : 400, { 'content-type': 'text/xml' });
      response.end(isKnown ? described(outputs) : MISSING);
    });
  });
  const url = await listen(server, 0);
  return {
    env: { AWS_ENDPOINT_URL_CLOUDFORMATION: url, AWS_ENDPOINT_URL_LAMBDA: url },
    close: () => stop(server),
  };
}

const described = (outputs: Record<string, string>) => {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return (
    '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member>' +
    `<StackName>s</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${members.join('')}</Outputs>` +
    '</member></Stacks></DescribeStacksResult></DescribeStacksResponse>'
  );
};

const MISSING =
  '<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error><Type>Sender</Type>' +
  '<Code>ValidationError</Code><Message>Stack with id s does not exist</Message></Error></ErrorResponse>';
